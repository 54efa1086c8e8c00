#ifndef HOST_MSTATUS_H
#define HOST_MSTATUS_H

#include <maya/MTypes.h>

MAYA_HOST_OPEN

class MStatus {
public:
  enum MStatusCode {
    kSuccess = 0,
    kFailure,
    kInsufficientMemory,
    kInvalidParameter,
    kLicenseFailure,
    kUnknownParameter,
    kNotImplemented,
    kNotFound,
    kEndOfFile
  };
  MStatus() : code_(kSuccess) {}
  MStatus(MStatusCode code) : code_(code) {}
  bool operator==(const MStatus &o) const { return code_ == o.code_; }
  bool operator==(MStatusCode c) const { return code_ == c; }
  bool operator!=(const MStatus &o) const { return code_ != o.code_; }
  bool operator!=(MStatusCode c) const { return code_ != c; }
  operator bool() const { return code_ == kSuccess; }
  bool error() const { return code_ != kSuccess; }
  void clear() { code_ = kSuccess; }
  MStatusCode statusCode() const { return code_; }
  MString errorString() const;
  void perror(const char *text) const;
  void perror(const MString &text) const;

private:
  MStatusCode code_;
};
inline bool operator==(MStatus::MStatusCode c, const MStatus &s) {
  return s == c;
}
inline bool operator!=(MStatus::MStatusCode c, const MStatus &s) {
  return s != c;
}
typedef MStatus MS;

#define MAYA_HOST_LINE(line) #line
#define MAYA_HOST_AT(line) MAYA_HOST_LINE(line)
#define CHECK_MSTATUS(status)                                                                      \
  {                                                                                                \
    MStatus mayaHostChecked = (status);                                                            \
    if (!mayaHostChecked)                                                                          \
      mayaHostChecked.perror(__FILE__ ":" MAYA_HOST_AT(__LINE__) ": API error");                   \
  }
#define CHECK_MSTATUS_AND_RETURN(status, result)                                                   \
  {                                                                                                \
    MStatus mayaHostStatus = (status);                                                             \
    CHECK_MSTATUS(mayaHostStatus);                                                                 \
    if (!mayaHostStatus) return (result);                                                          \
  }
#define CHECK_MSTATUS_AND_RETURN_IT(status) CHECK_MSTATUS_AND_RETURN((status), (status))
#define MFAIL(status) (MStatus::kSuccess != (status))

MAYA_HOST_CLOSE

#endif
