// Status, text, numbers, time.
#include "api/bridge.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <maya/MAngle.h>
#include <maya/MDGContextGuard.h>
#include <maya/MDistance.h>
#include <maya/MMatrix.h>
#include <maya/MPoint.h>
#include <maya/MStringArray.h>
#include <maya/MTimeRange.h>

MAYA_HOST_OPEN

MString MStatus::errorString() const {
  static const char *const names[] = {"Success",           "Failure",   "Insufficient memory",
                                      "Invalid parameter", "License",   "Unknown parameter",
                                      "Not implemented",   "Not found", "End of file"};
  return names[code_];
}

void MStatus::perror(const char *what) const {
  theScene().say('e', std::string(what) + ": " + errorString().asChar());
}
void MStatus::perror(const MString &what) const {
  perror(what.asChar());
}

MString &MString::operator+=(double v) {
  char out[40];
  std::snprintf(out, sizeof out, "%g", v);
  return text_ += out, *this;
}

MString MString::substring(int start, int end) const {
  if (start < 0 || end < start || start >= static_cast<int>(text_.size())) return MString();
  return text_.substr(static_cast<size_t>(start), static_cast<size_t>(end - start + 1)).c_str();
}

int MString::index(char c) const {
  size_t at = text_.find(c);
  return at == std::string::npos ? -1 : static_cast<int>(at);
}

int MString::rindex(char c) const {
  size_t at = text_.rfind(c);
  return at == std::string::npos ? -1 : static_cast<int>(at);
}

MStatus MString::split(char by, MStringArray &out) const {
  out.clear();
  size_t at = 0;
  while (at <= text_.size()) {
    size_t end = std::min(text_.find(by, at), text_.size());
    if (end > at) out.append(text_.substr(at, end - at).c_str());
    at = end + 1;
  }
  return MStatus();
}

int MString::asInt() const {
  return std::atoi(text_.c_str());
}
double MString::asDouble() const {
  return std::atof(text_.c_str());
}

bool MString::isInt() const {
  char *end;
  std::strtol(text_.c_str(), &end, 10);
  return !text_.empty() && !*end;
}

bool MString::isDouble() const {
  char *end;
  std::strtod(text_.c_str(), &end);
  return !text_.empty() && !*end;
}

double MVector::length() const {
  return std::sqrt(*this * *this);
}
MVector MVector::normal() const {
  return length() > 0 ? *this / length() : *this;
}

MVector MVector::operator*(const MMatrix &m) const {
  MVector out;
  for (unsigned c = 0; c < 3; c++) out[c] = x * m(0, c) + y * m(1, c) + z * m(2, c);
  return out;
}

MPoint MPoint::operator*(const MMatrix &m) const {
  MPoint out;
  for (unsigned c = 0; c < 4; c++) out[c] = x * m(0, c) + y * m(1, c) + z * m(2, c) + w * m(3, c);
  return out;
}

static host::Matrix plain(const MMatrix &m) {
  host::Matrix out;
  std::memcpy(out.data(), m.matrix, sizeof m.matrix);
  return out;
}

static MMatrix dressed(const host::Matrix &m) {
  MMatrix out;
  std::memcpy(out.matrix, m.data(), sizeof out.matrix);
  return out;
}

const MMatrix MMatrix::identity;
MMatrix::MMatrix(const double m[4][4]) {
  std::memcpy(matrix, m, sizeof matrix);
}
MMatrix MMatrix::operator*(const MMatrix &o) const {
  return dressed(host::multiply(plain(*this), plain(o)));
}
MMatrix MMatrix::inverse() const {
  return dressed(host::inverse(plain(*this)));
}
MMatrix MMatrix::transpose() const {
  MMatrix out;
  for (unsigned r = 0; r < 4; r++)
    for (unsigned c = 0; c < 4; c++) out(r, c) = matrix[c][r];
  return out;
}
MMatrix &MMatrix::setToIdentity() {
  std::memcpy(matrix, host::identityMatrix().data(), sizeof matrix);
  return *this;
}
bool MMatrix::operator==(const MMatrix &o) const {
  return plain(*this) == plain(o);
}
bool MMatrix::isEquivalent(const MMatrix &o, double tolerance) const {
  for (unsigned r = 0; r < 4; r++)
    for (unsigned c = 0; c < 4; c++)
      if (std::fabs(matrix[r][c] - o.matrix[r][c]) > tolerance) return false;
  return true;
}

static double ticksOf(MTime::Unit unit) {
  double second = static_cast<double>(host::kTicksPerSecond);
  switch (unit) {
  case MTime::kHours:
    return second * 3600;
  case MTime::kMinutes:
    return second * 60;
  case MTime::kSeconds:
    return second;
  case MTime::kMilliseconds:
    return second / 1000;
  case MTime::kGames:
    return second / 15;
  case MTime::kPALFrame:
    return second / 25;
  case MTime::kNTSCFrame:
    return second / 30;
  case MTime::kShowScan:
    return second / 48;
  case MTime::kPALField:
    return second / 50;
  case MTime::kNTSCField:
    return second / 60;
  default:
    return second / 24;
  }
}

// far ends of time do not overflow
MTime::MTime(double value, Unit unit) : ticks_(0), unit_(unit) {
  setValue(value);
}
MStatus MTime::setValue(double value) {
  double ticks = value * ticksOf(unit_);
  const double most = 4.6e18;
  ticks_ = ticks > most    ? static_cast<MTick>(most)
           : ticks < -most ? static_cast<MTick>(-most)
                           : std::llround(ticks);
  return MStatus();
}
double MTime::as(Unit unit) const {
  return static_cast<double>(ticks_) / ticksOf(unit);
}
MTime::Unit MTime::uiUnit() {
  for (Unit unit : {kSeconds, kGames, kFilm, kPALFrame, kNTSCFrame, kShowScan, kPALField})
    if (std::fabs(host::framesPerSecond() * ticksOf(unit) - host::kTicksPerSecond) < 1) return unit;
  return kNTSCField;
}
MTime::MTick MTime::ticksPerSecond() {
  return host::kTicksPerSecond;
}
MTime MTime::make(MTick ticks, Unit unit) {
  MTime t;
  t.ticks_ = ticks;
  t.unit_ = unit;
  return t;
}

MTimeRange MTimeRange::operator|(const MTimeRange &o) const {
  if (empty_) return o;
  if (o.empty_) return *this;
  return {min_ < o.min_ ? min_ : o.min_, max_ > o.max_ ? max_ : o.max_};
}

static double centimetres(MDistance::Unit unit) {
  static const double size[] = {1, 2.54, 30.48, 91.44, 160934.4, 0.1, 1, 1e5, 100};
  return size[unit];
}
MDistance::MDistance() : cm_(0) {}
MDistance::MDistance(double value, Unit unit) : cm_(value * centimetres(unit)) {}
double MDistance::as(Unit unit, MStatus *) const {
  return cm_ / centimetres(unit);
}

static const double kDegree = std::acos(-1.0) / 180;
MAngle::MAngle() : radians_(0) {}
MAngle::MAngle(double value, Unit unit) : radians_(unit == kDegrees ? value * kDegree : value) {}
double MAngle::asDegrees() const {
  return radians_ / kDegree;
}

MDGContext MDGContext::fsNormal;
MDGContext::MDGContext() = default;
MDGContext::MDGContext(const MTime &when) : own_(std::make_shared<host::Context>()) {
  own_->normal = false;
  own_->ticks = when.hostTicks();
  host::Node *clock = theScene().find("time1");
  host::Value &v = own_->block(clock).make(clock->plug("outTime"));
  v.ticks = own_->ticks;
  v.dirty = false;
}
MDGContext::MDGContext(host::Context *borrowed) : borrowed_(borrowed) {}
host::Context *MDGContext::hostContext() const {
  if (own_) return own_.get();
  return borrowed_ ? borrowed_ : &theScene().normal;
}
bool MDGContext::isNormal(MStatus *status) const {
  answer(status, MStatus::kSuccess);
  return hostContext()->normal;
}
MStatus MDGContext::getTime(MTime &when) const {
  when = MTime::make(hostContext()->ticks);
  return MStatus();
}
const MDGContext MDGContext::current() {
  return MDGContext(host::Scene::context());
}

MDGContextGuard::MDGContextGuard(const MDGContext &context)
    : context_(new MDGContext(context)), outer_(host::Scene::swapContext(context_->hostContext())) {
}
MDGContextGuard::~MDGContextGuard() {
  host::Scene::swapContext(outer_);
}

MAYA_HOST_CLOSE
