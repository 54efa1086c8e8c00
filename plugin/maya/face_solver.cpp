#include "face_solver.h"

#include <chrono>
#include <cmath>

namespace mien_maya {

uint64_t FrameInput::hash(const Settings &settings) const {
  uint64_t h = settingsHash(settings, false);
  h = hashBytes(pose.data(), pose.size() * sizeof(float), h);
  h = hashBytes(weights.data(), weights.size() * sizeof(float), h);
  h = hashBytes(&head, sizeof head, h);
  return has_jaw ? hashBytes(jaw_turn, sizeof jaw_turn, h) : h;
}

static int64_t ticks(double seconds) {
  return std::llround(seconds * 1e6);
}

static void blend(const std::vector<float> &a, const std::vector<float> &b, double share,
                  std::vector<float> *out) {
  for (size_t i = 0; i < b.size() && i < a.size(); i++)
    (*out)[i] = static_cast<float>((1 - share) * static_cast<double>(a[i]) +
                                   share * static_cast<double>(b[i]));
}

// between two inputs; at 1 it is the second to the bit
static FrameInput between(const FrameInput &a, const FrameInput &b, double share) {
  FrameInput out = b;
  if (share >= 1) return out;
  blend(a.pose, b.pose, share, &out.pose);
  blend(a.weights, b.weights, share, &out.weights);
  double dot = 0, length = 0;
  for (int k = 0; k < 4; k++) dot += a.head.rotation[k] * b.head.rotation[k];
  for (int k = 0; k < 4; k++) {
    double from = dot < 0 ? -a.head.rotation[k] : a.head.rotation[k];
    out.head.rotation[k] = (1 - share) * from + share * b.head.rotation[k];
    length += out.head.rotation[k] * out.head.rotation[k];
  }
  for (int k = 0; k < 4; k++) out.head.rotation[k] /= std::sqrt(length);
  for (int k = 0; k < 3; k++) {
    out.head.translation[k] = (1 - share) * a.head.translation[k] + share * b.head.translation[k];
    out.jaw_turn[k] = (1 - share) * a.jaw_turn[k] + share * b.jaw_turn[k];
  }
  return out;
}

// The jaw follows the weight of the shape that opens it, so its angle becomes that weight.
static void followJaw(const mien_rig *rig, const mien_face *face, const FrameInput &input,
                      std::vector<float> *weights) {
  const mien_jaw &hinge = mien_face_get_info(face)->hinge;
  int shape = mien_rig_find_shape(rig, "jawOpen");
  if (!input.has_jaw || shape < 0 || !hinge.is_known || hinge.open_angle == 0) return;
  double angle = 0;
  for (int k = 0; k < 3; k++) angle += input.jaw_turn[k] * static_cast<double>(hinge.axis[k]);
  (*weights)[static_cast<size_t>(shape)] =
      static_cast<float>(angle / static_cast<double>(hinge.open_angle));
}

bool FaceSolver::step(const FrameInput &input, const Settings &settings, double dt,
                      mien_solver solver, std::string *why) {
  std::vector<float> weights = input.weights;
  weights.resize(static_cast<size_t>(mien_rig_get_info(rig_)->nshape), 0.0f);
  followJaw(rig_, face_, input, &weights);
  mien_input in;
  mien_input_init(&in);
  in.pose = {input.pose.data(), static_cast<int>(input.pose.size() / 3), 3};
  if (!weights.empty()) in.weights = {weights.data(), static_cast<int>(weights.size()), 1};
  in.head = input.head;
  in.seal_left = settings.seal_left;
  in.seal_right = settings.seal_right;
  mien_step_opts opts = settings.step;
  opts.dt = dt;
  if (solver != MIEN_SOLVER_AUTO) opts.solver = solver;
  mien_error err;
  mien_result result = mien_step(state_, &in, &opts, &err);
  if (result < 0) return *why = err.text, false;
  return true;
}

// the first frame: where the head is, not moving
bool FaceSolver::begin(const FrameInput &input, const Settings &settings, std::string *why) {
  mien_state_reset(state_);
  return step(input, settings, input.frame_length, MIEN_SOLVER_KINEMATIC, why);
}

bool FaceSolver::advance(const Snapshot &from, const FrameInput &to, const Settings &settings,
                         int frames, std::string *why) {
  if (!restore(from, why)) return false;
  int count = frames * settings.substeps;
  // The matrix belongs to the time step: a step that is off by a rounding would be factored anew.
  double span = to.time - from.input.time, whole = frames * to.frame_length;
  if (std::fabs(span - whole) < 1e-6 * to.frame_length) span = whole;
  double dt = span * settings.time_scale / count;
  for (int k = 1; k <= count; k++)
    if (!step(between(from.input, to, static_cast<double>(k) / count), settings, dt,
              MIEN_SOLVER_AUTO, why))
      return false;
  return true;
}

bool FaceSolver::restore(const Snapshot &from, std::string *why) {
  mien_error err;
  if (mien_state_restore(state_, from.state.data(), from.state.size(), &err) >= 0) return true;
  *why = err.text;
  return false;
}

// A frame that changed makes all that followed untrue.
void FaceSolver::keep(int64_t at, Snapshot snapshot, const Settings &settings) {
  snapshot.state.resize(mien_state_size(state_));
  if (mien_state_save(state_, snapshot.state.data(), snapshot.state.size(), nullptr) < 0) return;
  snapshots_.erase(snapshots_.lower_bound(at), snapshots_.end());
  size_t one = snapshot.state.size() + snapshot.input.pose.size() * sizeof(float);
  size_t most = static_cast<size_t>(settings.cache_megabytes) * 1000000 / one;
  snapshots_[at] = std::move(snapshot);
  while (snapshots_.size() > 2 && snapshots_.size() > most)
    snapshots_.erase(std::next(snapshots_.begin()));
}

void FaceSolver::answer(const FrameInput &input, std::vector<float> *offsets, Stats *stats) const {
  const mien_state_info *info = mien_state_get_info(state_);
  int stride = info->positions.stride ? info->positions.stride : 3;
  for (size_t i = 0; i < offsets->size() / 3; i++)
    for (size_t k = 0; k < 3; k++)
      (*offsets)[3 * i + k] =
          info->positions.data[i * static_cast<size_t>(stride) + k] - input.pose[3 * i + k];
  stats->residual = info->residual;
  stats->max_offset = info->max_offset;
  stats->iterations = info->iterations;
  stats->contacts = info->ncontact;
  stats->stuck = info->nstuck;
}

bool FaceSolver::evaluate(const FrameInput &input, const Settings &settings,
                          std::vector<float> *offsets, Stats *stats, std::string *why) {
  std::lock_guard<std::mutex> hold(lock_);
  auto clock = std::chrono::steady_clock::now();
  *stats = Stats();
  offsets->assign(input.pose.size(), 0.0f);
  if (!state_) return *why = "there is no flesh yet", false;
  if (!std::isfinite(input.time) || !std::isfinite(input.start))
    return *why = "the time is not a number", false;

  int64_t now = ticks(input.time), first = ticks(input.start);
  if (now < first) return true;
  double frames_in = (input.time - input.start) / input.frame_length;
  bool is_whole = std::fabs(frames_in - std::round(frames_in)) < 1e-4;
  uint64_t hash = input.hash(settings);

  auto before = snapshots_.lower_bound(now);
  bool has_before = before != snapshots_.begin() && now > first;
  if (has_before) --before;
  double gap = has_before ? (input.time - before->second.input.time) / input.frame_length : 0;
  bool leads_here = has_before && gap <= settings.frame_jump_limit + 1e-4;

  // asked for again
  auto same = snapshots_.find(now);
  if (same != snapshots_.end() && same->second.input_hash == hash) {
    const Snapshot &s = same->second;
    bool is_linked =
        s.is_start ? !leads_here
                   : !has_before || before->first != s.before || before->second.key == s.before_key;
    if (is_linked) {
      if (!restore(s, why)) return false;
      answer(input, offsets, stats);
      stats->frames_kept = static_cast<int>(snapshots_.size());
      return true;
    }
  }

  Snapshot next;
  next.input = input;
  next.input_hash = hash;
  next.is_start = !leads_here;
  next.before = leads_here ? before->first : now;
  next.before_key = leads_here ? before->second.key : 0;
  next.key = hashBytes(&next.before_key, sizeof next.before_key, hash);
  int frames = static_cast<int>(std::fmax(1, std::round(gap)));
  bool ok = leads_here ? advance(before->second, input, settings, frames, why)
                       : begin(input, settings, why);
  if (!ok) return false;
  answer(input, offsets, stats);
  stats->stepped = leads_here;
  if (is_whole) keep(now, std::move(next), settings);
  stats->frames_kept = static_cast<int>(snapshots_.size());
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - clock;
  stats->milliseconds = spent.count();
  return true;
}

} // namespace mien_maya
