// What flows through the graph: attribute definitions, values and the data objects they hold.
// Nothing here depends on a Maya version; the classes of the API are thin shells over these.
#ifndef HOST_DATA_H
#define HOST_DATA_H

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace host {

using Matrix = std::array<double, 16>; // row vectors: p * M
Matrix identityMatrix();
Matrix multiply(const Matrix &a, const Matrix &b);
Matrix inverse(const Matrix &m);
void transformPoint(const Matrix &m, const float in[3], float out[3]);

// Ticks of a second, as a whole number: every usual frame rate is exact.
constexpr std::int64_t kTicksPerSecond = 141120000;
double &framesPerSecond(); // of the scene: what a frame is
std::int64_t frameTicks(double frame);
double tickFrames(std::int64_t ticks);

enum class Kind {
  boolean,
  int16,
  int32,
  real32,
  real64,
  vec3f,
  vec3d,
  time,
  distance,
  angle,
  enumeration,
  matrix,
  text,
  mesh,
  doubles,
  floats,
  ints,
  points,
  vectors,
  components,
  message,
  compound
};

struct Mesh {
  std::vector<float> points;                   // x y z of every vertex, object space
  std::vector<int> counts, corners;            // polygons
  std::map<std::string, std::vector<int>> tag; // component tags: named sets of vertices
  int nvert() const { return static_cast<int>(points.size() / 3); }
};

// Shared and never changed once it is in a value, as in Maya.
struct Data {
  Kind kind = Kind::doubles;
  Mesh mesh;
  std::vector<double> doubles; // points: four each; vectors: three each
  std::vector<float> floats;
  std::vector<int> ints; // components, too
  std::string text;
  Matrix matrix = identityMatrix();
};
using DataPtr = std::shared_ptr<Data>;

struct NodeType;

struct Attr {
  std::string longName, shortName, niceName;
  Kind kind = Kind::real64;
  double defaultNumber = 0;
  double defaultVector[3] = {0, 0, 0};
  Matrix defaultMatrix = identityMatrix();
  DataPtr defaultData;
  bool hasMin = false, hasMax = false, hasSoftMin = false, hasSoftMax = false;
  double min = 0, max = 0, softMin = 0, softMax = 0;
  bool readable = true, writable = true, storable = true, keyable = false, connectable = true;
  bool channelBox = false, hidden = false, cached = true, internal = false;
  bool array = false, usesBuilder = false, indexMatters = true, usedAsFilename = false;
  Attr *parent = nullptr;
  int component = -1; // of a parent that is a vector
  std::vector<Attr *> children;
  std::vector<std::pair<std::string, short>> fields; // of an enumeration
  NodeType *owner = nullptr;                         // set when it is added to a type

  bool isVector() const { return kind == Kind::vec3f || kind == Kind::vec3d; }
  bool isNumber() const;
  Attr *find(const std::string &name); // itself or a child, by long or short name
};

// The value of an attribute, of one element of it, or the sparse list of its elements.
struct Value {
  Attr *attr = nullptr;
  bool isList = false; // `element` holds the elements; nothing else is used
  bool dirty = true;
  union {
    bool b;
    short s;
    int i;
    float f;
    double d;
    float f3[3];
    double d3[3];
    std::int64_t ticks;
  };
  Matrix matrix;
  std::string text;
  DataPtr data;
  std::vector<std::unique_ptr<Value>> child;          // one per child attribute of a compound
  std::map<unsigned, std::unique_ptr<Value>> element; // by logical index
  Value *parent = nullptr;
  unsigned logical = 0;

  Value(Attr *of, bool list, Value *up);
  void setDefault();
  bool isDefault() const;
  Value *at(unsigned index);   // nullptr when the element does not exist
  Value &make(unsigned index); // creates it
  Value *childOf(const Attr *a);
  void copyFrom(const Value &other, bool withFlags);
  void setDirty(bool to); // the whole tree
  double number(int part = -1) const;
  void setNumber(double to, int part = -1);
};

} // namespace host

#endif
