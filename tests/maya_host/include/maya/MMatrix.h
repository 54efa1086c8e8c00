#ifndef HOST_MMATRIX_H
#define HOST_MMATRIX_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MMatrix {
public:
  double matrix[4][4]; // the only member: values of the host are seen through it
  MMatrix() { setToIdentity(); }
  explicit MMatrix(const double m[4][4]);
  double operator()(unsigned int r, unsigned int c) const { return matrix[r][c]; }
  double &operator()(unsigned int r, unsigned int c) { return matrix[r][c]; }
  double *operator[](unsigned int r) { return matrix[r]; }
  const double *operator[](unsigned int r) const { return matrix[r]; }
  MMatrix operator*(const MMatrix &o) const;
  MMatrix inverse() const;
  MMatrix transpose() const;
  MMatrix &setToIdentity();
  bool operator==(const MMatrix &o) const;
  bool operator!=(const MMatrix &o) const { return !(*this == o); }
  bool isEquivalent(const MMatrix &o, double tolerance = 1e-10) const;
  double det4x4() const;
  static const MMatrix identity;
};

MAYA_HOST_CLOSE

#endif
