#ifndef HOST_MSTRING_H
#define HOST_MSTRING_H

#include <maya/MStatus.h>
#include <string>

MAYA_HOST_OPEN

class MString {
public:
  MString() = default;
  MString(const char *text) : text_(text ? text : "") {}
  MString(const char *text, int length) : text_(text, static_cast<size_t>(length)) {}
  MString &operator+=(const MString &o) { return text_ += o.text_, *this; }
  MString &operator+=(const char *o) { return text_ += o, *this; }
  MString &operator+=(double v);
  MString &operator+=(int v) { return text_ += std::to_string(v), *this; }
  MString &operator+=(unsigned int v) { return text_ += std::to_string(v), *this; }
  MString &operator+=(float v) { return *this += static_cast<double>(v); }
  MString operator+(const MString &o) const { return MString(*this) += o; }
  MString operator+(const char *o) const { return MString(*this) += o; }
  MString operator+(double v) const { return MString(*this) += v; }
  bool operator==(const MString &o) const { return text_ == o.text_; }
  bool operator==(const char *o) const { return text_ == o; }
  bool operator!=(const MString &o) const { return text_ != o.text_; }
  bool operator!=(const char *o) const { return text_ != o; }
  const char *asChar() const { return text_.c_str(); }
  const char *asUTF8() const { return text_.c_str(); }
  MStatus setUTF8(const char *text) { return text_ = text, MStatus(); }
  unsigned int length() const { return static_cast<unsigned int>(text_.size()); }
  unsigned int numChars() const { return length(); }
  MString substring(int start, int end) const;
  int index(char c) const;
  int rindex(char c) const;
  MStatus split(char by, MStringArray &out) const;
  bool isInt() const;
  bool isDouble() const;
  int asInt() const;
  double asDouble() const;

private:
  std::string text_; // the only member: values of the host are seen through it
};
inline MString operator+(const char *a, const MString &b) {
  return MString(a) + b;
}

MAYA_HOST_CLOSE

#endif
