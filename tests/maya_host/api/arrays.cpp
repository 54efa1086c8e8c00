// The arrays. They differ in how an element is passed; what they do is the same.
#include "api/bridge.h"

#include <cstring>

#include <maya/MDoubleArray.h>
#include <maya/MFloatArray.h>
#include <maya/MFloatPointArray.h>
#include <maya/MFloatVectorArray.h>
#include <maya/MIntArray.h>
#include <maya/MObjectArray.h>
#include <maya/MPlugArray.h>
#include <maya/MPointArray.h>
#include <maya/MStringArray.h>
#include <maya/MVectorArray.h>

MAYA_HOST_OPEN

#define BODIES(Array, Element, Given, Read)                                                        \
  Array::Array() : list_(new std::vector<Element>) {}                                              \
  Array::Array(const Array &o) : list_(new std::vector<Element>(*o.list_)) {}                      \
  Array::~Array() {                                                                                \
    delete list_;                                                                                  \
  }                                                                                                \
  Array &Array::operator=(const Array &o) {                                                        \
    if (this != &o) *list_ = *o.list_;                                                             \
    return *this;                                                                                  \
  }                                                                                                \
  Element &Array::operator[](unsigned int i) {                                                     \
    return list_->at(i);                                                                           \
  }                                                                                                \
  Read Array::operator[](unsigned int i) const {                                                   \
    return list_->at(i);                                                                           \
  }                                                                                                \
  unsigned int Array::length() const {                                                             \
    return static_cast<unsigned int>(list_->size());                                               \
  }                                                                                                \
  MStatus Array::setLength(unsigned int n) {                                                       \
    return list_->resize(n), MStatus();                                                            \
  }                                                                                                \
  MStatus Array::append(Given v) {                                                                 \
    return list_->push_back(v), MStatus();                                                         \
  }                                                                                                \
  MStatus Array::set(Given v, unsigned int i) {                                                    \
    if (i >= length()) return MStatus::kFailure;                                                   \
    return (*list_)[i] = v, MStatus();                                                             \
  }                                                                                                \
  MStatus Array::insert(Given v, unsigned int i) {                                                 \
    if (i > length()) return MStatus::kFailure;                                                    \
    return list_->insert(list_->begin() + static_cast<long>(i), v), MStatus();                     \
  }                                                                                                \
  MStatus Array::remove(unsigned int i) {                                                          \
    if (i >= length()) return MStatus::kFailure;                                                   \
    return list_->erase(list_->begin() + static_cast<long>(i)), MStatus();                         \
  }                                                                                                \
  MStatus Array::clear() {                                                                         \
    return list_->clear(), MStatus();                                                              \
  }

#define NUMBERS(Array, Element)                                                                    \
  BODIES(Array, Element, Element, Element)                                                         \
  Array::Array(const Element from[], unsigned int n)                                               \
      : list_(new std::vector<Element>(from, from + n)) {}                                         \
  Array::Array(unsigned int n, Element init) : list_(new std::vector<Element>(n, init)) {}         \
  MStatus Array::get(Element out[]) const {                                                        \
    return std::copy(list_->begin(), list_->end(), out), MStatus();                                \
  }

NUMBERS(MIntArray, int)
NUMBERS(MFloatArray, float)
NUMBERS(MDoubleArray, double)
BODIES(MPointArray, MPoint, const MPoint &, const MPoint &)
BODIES(MFloatPointArray, MFloatPoint, const MFloatPoint &, const MFloatPoint &)
BODIES(MVectorArray, MVector, const MVector &, const MVector &)
BODIES(MFloatVectorArray, MFloatVector, const MFloatVector &, const MFloatVector &)
BODIES(MObjectArray, MObject, const MObject &, const MObject &)
BODIES(MPlugArray, MPlug, const MPlug &, const MPlug &)
BODIES(MStringArray, MString, const MString &, MString)

MPointArray::MPointArray(unsigned int n, const MPoint &init)
    : list_(new std::vector<MPoint>(n, init)) {}
MStatus MPointArray::get(double out[][4]) const {
  for (size_t i = 0; i < list_->size(); i++) std::memcpy(out[i], &(*list_)[i].x, sizeof out[i]);
  return MStatus();
}
MStatus MFloatPointArray::get(float out[][4]) const {
  for (size_t i = 0; i < list_->size(); i++) std::memcpy(out[i], &(*list_)[i].x, sizeof out[i]);
  return MStatus();
}

MAYA_HOST_CLOSE
