#include "face_solver.h"

#include <chrono>
#include <cmath>

namespace mien_maya {

uint64_t FrameInput::hash(const Settings &settings) const {
  uint64_t h = settingsHash(settings, false);
  h = hashBytes(pose.data(), pose.size() * sizeof(float), h);
  h = hashBytes(weights.data(), weights.size() * sizeof(float), h);
  h = hashBytes(contractions.data(), contractions.size() * sizeof(float), h);
  h = hashBytes(&head, sizeof head, h);
  h = hashBytes(colliders.data(), colliders.size() * sizeof(mien_rigid), h);
  return has_jaw ? hashBytes(&jaw, sizeof jaw, h) : h;
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

static mien_rigid between(const mien_rigid &a, const mien_rigid &b, double share) {
  mien_rigid out = b;
  double dot = 0, length = 0;
  for (int k = 0; k < 4; k++) dot += a.rotation[k] * b.rotation[k];
  for (int k = 0; k < 4; k++) {
    double from = dot < 0 ? -a.rotation[k] : a.rotation[k];
    out.rotation[k] = (1 - share) * from + share * b.rotation[k];
    length += out.rotation[k] * out.rotation[k];
  }
  for (int k = 0; k < 4; k++) out.rotation[k] /= std::sqrt(length);
  for (int k = 0; k < 3; k++)
    out.translation[k] = (1 - share) * a.translation[k] + share * b.translation[k];
  return out;
}

// between two inputs; at 1 it is the second to the bit
static FrameInput between(const FrameInput &a, const FrameInput &b, double share) {
  FrameInput out = b;
  if (share >= 1) return out;
  blend(a.pose, b.pose, share, &out.pose);
  blend(a.weights, b.weights, share, &out.weights);
  blend(a.contractions, b.contractions, share, &out.contractions);
  out.head = between(a.head, b.head, share);
  out.jaw = between(a.jaw, b.jaw, share);
  for (size_t k = 0; k < out.colliders.size() && k < a.colliders.size(); k++)
    out.colliders[k] = between(a.colliders[k], b.colliders[k], share);
  return out;
}

bool FaceSolver::step(const FrameInput &input, const Settings &settings, double dt,
                      std::string *why) {
  std::vector<float> weights = input.weights;
  weights.resize(static_cast<size_t>(mien_rig_get_info(rig_.get())->nshape), 0.0f);
  mien_input in = settings.mien.input;
  in.pose = {input.pose.data(), static_cast<int>(input.pose.size() / 3), 3};
  if (!weights.empty()) in.weights = {weights.data(), static_cast<int>(weights.size()), 1};
  std::vector<float> contractions = input.contractions;
  contractions.resize(static_cast<size_t>(mien_face_get_info(face_)->nmuscle), 0.0f);
  bool isUsed =
      settings.mien.step.drive == MIEN_DRIVE_MUSCLE || settings.mien.step.muscle_stiffening > 0;
  if (isUsed && !contractions.empty())
    in.contractions = {contractions.data(), static_cast<int>(contractions.size()), 1};
  in.head = input.head;
  in.has_jaw = input.has_jaw;
  in.jaw = input.jaw;
  in.colliders = input.colliders.empty() ? nullptr : input.colliders.data();
  in.ncollider = static_cast<int>(input.colliders.size());
  mien_step_opts opts = settings.mien.step;
  opts.dt = dt;
  mien_error err;
  mien_result result = mien_step(state_, &in, &opts, &err);
  if (result < 0) return *why = err.text, false;
  remark_ = result > 0 ? err.text : "";
  return true;
}

// The first frame: at rest where the head is, and held for the pre-roll.
bool FaceSolver::begin(const FrameInput &input, const Settings &settings, std::string *why) {
  mien_state_reset(state_);
  bool ok = true;
  int held = static_cast<int>(std::ceil(settings.mien.play.pre_roll / input.frame_length - 1e-6));
  for (int k = 0; k < 1 + held && ok; k++) ok = step(input, settings, input.frame_length, why);
  return ok;
}

bool FaceSolver::advance(const Snapshot &from, const FrameInput &to, const Settings &settings,
                         int frames, std::string *why) {
  if (!restore(from, why)) return false;
  // The matrix belongs to the time step: a step that is off by a rounding would be factored anew.
  double span = to.time - from.input.time, whole = frames * to.frame_length;
  if (std::fabs(span - whole) < 1e-6 * to.frame_length) span = whole;
  double dt = span / frames;
  for (int k = 1; k <= frames; k++)
    if (!step(between(from.input, to, static_cast<double>(k) / frames), settings, dt, why))
      return false;
  return true;
}

bool FaceSolver::restore(const Snapshot &from, std::string *why) {
  mien_error err;
  if (mien_state_read(state_, from.state.data(), from.state.size(), &err) >= 0) return true;
  *why = err.text;
  return false;
}

// A frame that changed makes all that followed untrue.
void FaceSolver::keep(int64_t at, Snapshot snapshot, const Settings &settings) {
  snapshot.state.resize(mien_state_size(state_));
  if (mien_state_write(state_, snapshot.state.data(), snapshot.state.size(), nullptr) < 0) return;
  snapshots_.erase(snapshots_.lower_bound(at), snapshots_.end());
  size_t one = snapshot.state.size() + snapshot.input.pose.size() * sizeof(float);
  size_t most = static_cast<size_t>(settings.cache_megabytes) * 1000000 / one;
  snapshots_[at] = std::move(snapshot);
  while (snapshots_.size() > 2 && snapshots_.size() > most)
    snapshots_.erase(std::next(snapshots_.begin()));
}

// The difference of two floats is exact in double: added to the pose it gives mien's own bits.
void FaceSolver::answer(const FrameInput &input, std::vector<double> *offsets, Stats *stats) const {
  const mien_state_info *info = mien_state_get_info(state_);
  int stride = info->positions.stride ? info->positions.stride : 3;
  for (size_t i = 0; i < offsets->size() / 3; i++)
    for (size_t k = 0; k < 3; k++)
      (*offsets)[3 * i + k] =
          static_cast<double>(info->positions.data[i * static_cast<size_t>(stride) + k]) -
          static_cast<double>(input.pose[3 * i + k]);
  stats->residual = info->residual;
  stats->max_offset = info->max_offset;
  stats->iterations = info->iterations;
  stats->contacts = info->ncontact;
  stats->stuck = info->nstuck;
}

bool FaceSolver::evaluate(const FrameInput &input, const Settings &settings,
                          std::vector<double> *offsets, Stats *stats, std::string *why) {
  std::lock_guard<std::mutex> hold(lock_);
  auto clock = std::chrono::steady_clock::now();
  *stats = Stats();
  offsets->assign(input.pose.size(), 0.0);
  if (!state_) return *why = "there is no flesh yet", false;
  if (!std::isfinite(input.time) || !std::isfinite(input.start))
    return *why = "the time is not a number", false;

  int64_t now = ticks(input.time), first = ticks(input.start);
  if (first != start_ || input.frame_length != frame_length_) snapshots_.clear();
  start_ = first, frame_length_ = input.frame_length;
  if (now < first) return true;
  // whole frames are the scene's, wherever the start is
  double frame = input.time / input.frame_length;
  bool is_whole = std::fabs(frame - std::round(frame)) < 1e-4;
  uint64_t hash = input.hash(settings);

  auto before = snapshots_.lower_bound(now);
  bool has_before = before != snapshots_.begin() && now > first;
  if (has_before) --before;
  double gap = has_before ? (input.time - before->second.input.time) / input.frame_length : 0;
  bool leads_here = has_before && gap <= settings.mien.play.frame_jump_limit + 1e-4;

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
  stats->remark = remark_;
  if (is_whole) keep(now, std::move(next), settings);
  stats->frames_kept = static_cast<int>(snapshots_.size());
  std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - clock;
  stats->milliseconds = spent.count();
  return true;
}

} // namespace mien_maya
