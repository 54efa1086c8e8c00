// What all arrays of the API have in common.
#ifndef HOST_ARRAY_H
#define HOST_ARRAY_H

#include <maya/MStatus.h>
#include <vector>

// The members that all arrays have: how an element is passed and given back differs. An element may
// be incomplete here, as in Maya; api/arrays.cpp has the bodies.
#define MAYA_HOST_ARRAY(Array, Element, Given, Read)                                               \
  Array();                                                                                         \
  Array(const Array &o);                                                                           \
  ~Array();                                                                                        \
  Array &operator=(const Array &o);                                                                \
  Element &operator[](unsigned int i);                                                             \
  Read operator[](unsigned int i) const;                                                           \
  unsigned int length() const;                                                                     \
  MStatus setLength(unsigned int n);                                                               \
  MStatus append(Given v);                                                                         \
  MStatus set(Given v, unsigned int i);                                                            \
  MStatus insert(Given v, unsigned int i);                                                         \
  MStatus remove(unsigned int i);                                                                  \
  MStatus clear();                                                                                 \
                                                                                                   \
private:                                                                                           \
  std::vector<Element> *list_;

#endif
