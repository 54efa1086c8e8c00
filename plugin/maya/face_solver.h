// One simulated mesh: its rig, flesh and state, and a snapshot of every frame it has been at, so
// that any frame can be asked for in any order and as often as the host likes. Knows nothing of
// Maya; may be called from any thread.
//
// The rules of time:
// - At and before the start nothing is simulated: the artist's pose.
// - A frame is stepped from the frame before it. Asked for again with the same input, it is what it
//   was; with other input it is stepped again from the frame before, and what came after is
//   dropped.
// - Times between frames (motion blur) are stepped from the frame before and not kept, so that they
//   never change a whole frame.
// - Another start, or another frame rate, is another simulation.
// - A jump forward goes through the frames between with the input in between; a jump beyond the
//   limit, or to a frame nothing leads to, starts again there.
#ifndef MIEN_MAYA_FACE_SOLVER_H
#define MIEN_MAYA_FACE_SOLVER_H

#include "parameters.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mien_maya {

struct ShapeSource {
  std::string name;
  std::vector<int32_t> indices;
  std::vector<float> deltas; // in the head's space, m
};

// A painted map; vertices that are not in it take what mien finds itself.
struct MapSource {
  std::string name;
  std::map<int, float> values;
};

// A closed rigid mesh; its points hold whatever scale its transform has.
struct ColliderSource {
  std::vector<float> points; // in its own space, m
  std::vector<int32_t> triangles;
};

struct RigSource {
  std::string name;
  std::vector<float> rest; // in the head's space, m
  std::vector<int32_t> counts, corners;
  std::vector<ShapeSource> shapes;
  std::vector<MapSource> maps;
  std::vector<ColliderSource> colliders;
  std::string extras; // JSON: muscles that were fitted, or ""
  uint64_t hash(bool withMaps) const;
};

struct FrameInput {
  double time = 0, start = 0, frame_length = 1.0 / 24; // s
  std::vector<float> pose;                             // in the head's space, m
  std::vector<float> weights;                          // one per shape
  std::vector<float> contractions;                     // of muscles, by their number
  mien_rigid head = {{0, 0, 0, 1}, {0, 0, 0}};
  bool has_jaw = false;
  mien_rigid jaw = {{0, 0, 0, 1}, {0, 0, 0}}; // in the head's space, from its place in the neutral
  std::vector<mien_rigid> colliders;          // to the world
  uint64_t hash(const Settings &settings) const;
};

struct Stats {
  double milliseconds = 0, residual = 0, max_offset = 0; // m
  int iterations = 0, contacts = 0, stuck = 0, frames_kept = 0;
  bool stepped = false; // false: taken from a snapshot or not simulated
  std::string remark;   // of the step that made it: skin where no face has it
};

class FaceSolver {
public:
  FaceSolver() = default;
  ~FaceSolver();
  FaceSolver(const FaceSolver &) = delete;

  // Makes rig, flesh and state; does nothing when they are made of the same already. False with a
  // sentence when mien refuses.
  bool build(const RigSource &source, const Settings &settings, std::string *why);
  bool isBuilt() const { return state_ != nullptr; }
  int nvert() const { return static_cast<int>(neutral_.size() / 3); }

  // What physics adds to the pose, m, three numbers per vertex.
  bool evaluate(const FrameInput &input, const Settings &settings, std::vector<double> *offsets,
                Stats *stats, std::string *why);
  void reset(); // forgets every frame
  std::vector<std::string> remarks() const;
  // Null when nothing is built. Stays valid for whoever holds it when the flesh is built anew.
  std::shared_ptr<const mien_rig> rig() const;
  // Of the muscles in the flesh, in the order of their channels; empty without muscles.
  std::vector<std::string> muscles() const;
  // Fits them to expressions (positions of every vertex, m): what RigSource::extras takes.
  // `progress` answers false to stop.
  using Progress = std::function<bool(const char *what, double done)>;
  bool fitMuscles(const std::vector<std::pair<std::string, std::vector<float>>> &expressions,
                  const Progress &progress, std::string *found, std::string *told,
                  std::string *why) const;
  // What mien finds for a map by itself, one value per vertex; empty when it finds none.
  std::vector<float> automaticMap(const std::string &name) const;

private:
  struct Snapshot {
    uint64_t key = 0, input_hash = 0, before_key = 0;
    int64_t before = 0; // the frame it was stepped from
    bool is_start = false;
    std::vector<unsigned char> state;
    FrameInput input;
  };
  using Snapshots = std::map<int64_t, Snapshot>;

  bool make(const RigSource &source, const Settings &settings, mien_rig **rig, mien_face **face,
            std::string *why) const;
  bool begin(const FrameInput &input, const Settings &settings, std::string *why);
  bool advance(const Snapshot &from, const FrameInput &to, const Settings &settings, int frames,
               std::string *why);
  bool step(const FrameInput &input, const Settings &settings, double dt, std::string *why);
  bool restore(const Snapshot &from, std::string *why);
  void keep(int64_t at, Snapshot snapshot, const Settings &settings);
  void answer(const FrameInput &input, std::vector<double> *offsets, Stats *stats) const;
  void free();

  mutable std::mutex lock_;
  std::shared_ptr<const mien_rig> rig_;
  mien_face *face_ = nullptr;
  mien_state *state_ = nullptr;
  uint64_t built_from_ = 0, automatic_from_ = 0;
  Settings made_with_;
  std::vector<float> neutral_;
  std::map<std::string, std::vector<float>> automatic_;
  Snapshots snapshots_;
  int64_t start_ = 0; // of the snapshots, and how long their frames are, s
  double frame_length_ = 0;
  std::string remark_; // of the last step
};

} // namespace mien_maya

#endif
