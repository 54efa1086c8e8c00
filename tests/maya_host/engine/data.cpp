#include "engine/data.h"

#include <cmath>
#include <cstring>

namespace host {

Matrix identityMatrix() {
  return {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
}

Matrix multiply(const Matrix &a, const Matrix &b) {
  Matrix out{};
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++)
      for (int k = 0; k < 4; k++) out[4 * r + c] += a[4 * r + k] * b[4 * k + c];
  return out;
}

// Gauss-Jordan with pivoting; a singular matrix gives the identity
Matrix inverse(const Matrix &m) {
  Matrix a = m, out = identityMatrix();
  for (int c = 0; c < 4; c++) {
    int best = c;
    for (int r = c + 1; r < 4; r++)
      if (std::fabs(a[4 * r + c]) > std::fabs(a[4 * best + c])) best = r;
    double pivot = a[4 * best + c];
    if (pivot == 0) return identityMatrix();
    for (int k = 0; k < 4; k++) {
      std::swap(a[4 * c + k], a[4 * best + k]);
      std::swap(out[4 * c + k], out[4 * best + k]);
      a[4 * c + k] /= pivot;
      out[4 * c + k] /= pivot;
    }
    for (int r = 0; r < 4; r++) {
      double share = r == c ? 0 : a[4 * r + c];
      for (int k = 0; k < 4; k++) {
        a[4 * r + k] -= share * a[4 * c + k];
        out[4 * r + k] -= share * out[4 * c + k];
      }
    }
  }
  return out;
}

void transformPoint(const Matrix &m, const float in[3], float out[3]) {
  double x = in[0], y = in[1], z = in[2];
  for (int c = 0; c < 3; c++)
    out[c] = static_cast<float>(x * m[c] + y * m[4 + c] + z * m[8 + c] + m[12 + c]);
}

double &framesPerSecond() {
  static double rate = 24;
  return rate;
}

std::int64_t frameTicks(double frame) {
  return std::llround(frame * static_cast<double>(kTicksPerSecond) / framesPerSecond());
}

double tickFrames(std::int64_t ticks) {
  return static_cast<double>(ticks) / (static_cast<double>(kTicksPerSecond) / framesPerSecond());
}

bool Attr::isNumber() const {
  switch (kind) {
  case Kind::boolean:
  case Kind::int16:
  case Kind::int32:
  case Kind::real32:
  case Kind::real64:
  case Kind::time:
  case Kind::distance:
  case Kind::angle:
  case Kind::enumeration:
    return true;
  default:
    return false;
  }
}

Attr *Attr::find(const std::string &name) {
  if (longName == name || shortName == name) return this;
  for (Attr *child : children)
    if (Attr *found = child->find(name)) return found;
  return nullptr;
}

Value::Value(Attr *of, bool list, Value *up) : attr(of), isList(list), d3{0, 0, 0}, parent(up) {
  matrix = identityMatrix();
  if (isList) return;
  if (attr->kind == Kind::compound)
    for (Attr *a : attr->children) child.push_back(std::make_unique<Value>(a, a->array, this));
  setDefault();
}

void Value::setDefault() {
  if (isList || attr->kind == Kind::compound) return;
  for (int k = 0; k < 3 && attr->isVector(); k++) setNumber(attr->defaultVector[k], k);
  if (attr->isNumber()) setNumber(attr->defaultNumber);
  // a time's default is in seconds: fixed, whatever the frame rate becomes
  if (attr->kind == Kind::time)
    ticks = std::llround(attr->defaultNumber * static_cast<double>(kTicksPerSecond));
  matrix = attr->defaultMatrix;
  data = attr->defaultData;
  text = data && attr->kind == Kind::text ? data->text : std::string();
}

bool Value::isDefault() const {
  if (isList) return element.empty();
  for (auto &c : child)
    if (!c->isDefault()) return false;
  if (attr->isVector())
    for (int k = 0; k < 3; k++)
      if (number(k) != attr->defaultVector[k]) return false;
  if (attr->isNumber()) {
    Value fresh(attr, false, nullptr);
    return number() == fresh.number();
  }
  if (attr->kind == Kind::matrix) return matrix == attr->defaultMatrix;
  if (attr->kind == Kind::text) return text == (attr->defaultData ? attr->defaultData->text : "");
  return data == attr->defaultData;
}

Value *Value::at(unsigned index) {
  auto found = element.find(index);
  return found == element.end() ? nullptr : found->second.get();
}

Value &Value::make(unsigned index) {
  auto &slot = element[index];
  if (!slot) {
    slot = std::make_unique<Value>(attr, false, this);
    slot->logical = index;
  }
  return *slot;
}

Value *Value::childOf(const Attr *a) {
  for (auto &c : child)
    if (c->attr == a) return c.get();
  return nullptr;
}

void Value::copyFrom(const Value &other, bool withFlags) {
  std::memcpy(d3, other.d3, sizeof d3);
  matrix = other.matrix;
  text = other.text;
  data = other.data;
  if (withFlags) dirty = other.dirty;
  if (isList && other.isList) {
    for (auto it = element.begin(); it != element.end();)
      it = other.element.count(it->first) ? std::next(it) : element.erase(it);
    for (auto &e : other.element) make(e.first).copyFrom(*e.second, withFlags);
  }
  for (size_t k = 0; k < child.size() && k < other.child.size(); k++)
    child[k]->copyFrom(*other.child[k], withFlags);
}

void Value::setDirty(bool to) {
  dirty = to;
  for (auto &c : child) c->setDirty(to);
  for (auto &e : element) e.second->setDirty(to);
}

double Value::number(int part) const {
  int k = part < 0 ? 0 : part;
  switch (attr->kind) {
  case Kind::boolean:
    return b;
  case Kind::int16:
  case Kind::enumeration:
    return s;
  case Kind::int32:
    return i;
  case Kind::real32:
    return f;
  case Kind::vec3f:
    return f3[k];
  case Kind::time:
    return tickFrames(ticks);
  default:
    return d3[k];
  }
}

void Value::setNumber(double to, int part) {
  int k = part < 0 ? 0 : part;
  switch (attr->kind) {
  case Kind::boolean:
    b = to != 0;
    break;
  case Kind::int16:
  case Kind::enumeration:
    s = static_cast<short>(to);
    break;
  case Kind::int32:
    i = static_cast<int>(to);
    break;
  case Kind::real32:
    f = static_cast<float>(to);
    break;
  case Kind::vec3f:
    f3[k] = static_cast<float>(to);
    break;
  case Kind::time:
    ticks = frameTicks(to);
    break;
  default:
    d3[k] = to;
  }
}

} // namespace host
