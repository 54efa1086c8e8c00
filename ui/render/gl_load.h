// OpenGL by OSMesa, loaded when the first picture is drawn. It brings a compiler with it: linked to
// the program it took 18 of the 24 ms in which every command starts.
#ifndef RENDER_GL_LOAD_H
#define RENDER_GL_LOAD_H

#define GL_GLEXT_PROTOTYPES
#include <GL/osmesa.h>

#include <GL/gl.h>
#include <GL/glext.h>

#include <stdbool.h>

// clang-format off
#define RD_GL_FUNCTIONS(X) \
  X(OSMesaCreateContextAttribs) X(OSMesaDestroyContext) X(OSMesaMakeCurrent) X(glActiveTexture) \
  X(glAttachShader) X(glBindAttribLocation) X(glBindBuffer) X(glBindFramebuffer) \
  X(glBindRenderbuffer) X(glBindTexture) X(glBlendFunc) X(glBufferData) \
  X(glCheckFramebufferStatus) X(glClear) X(glColorMask) X(glCompileShader) X(glCreateProgram) \
  X(glCreateShader) X(glDeleteBuffers) X(glDeleteShader) X(glDepthFunc) X(glDepthMask) \
  X(glDisable) X(glDisableVertexAttribArray) X(glDrawArrays) X(glDrawBuffer) X(glDrawElements) \
  X(glEnable) X(glEnableVertexAttribArray) X(glFramebufferRenderbuffer) \
  X(glFramebufferTexture2D) X(glGenBuffers) X(glGenFramebuffers) X(glGenRenderbuffers) \
  X(glGenTextures) X(glGetError) X(glGetProgramiv) X(glGetShaderInfoLog) X(glGetShaderiv) \
  X(glGetUniformLocation) X(glLineWidth) X(glLinkProgram) X(glPolygonMode) X(glPolygonOffset) \
  X(glReadBuffer) X(glReadPixels) X(glRenderbufferStorage) X(glShaderSource) X(glTexImage2D) \
  X(glTexParameteri) X(glUniform1f) X(glUniform1i) X(glUniform2f) X(glUniform3fv) \
  X(glUniform4fv) X(glUniformMatrix4fv) X(glUseProgram) X(glVertexAttribPointer) X(glViewport)

typedef struct rd_gl_table {
#define RD_GL_MEMBER(name) __typeof__(name) *name##_;
  RD_GL_FUNCTIONS(RD_GL_MEMBER)
#undef RD_GL_MEMBER
} rd_gl_table;
extern rd_gl_table rd_gl;

// False where OSMesa is not installed. Any thread may call it; it loads once.
bool rd_gl_load(void);

#define OSMesaCreateContextAttribs rd_gl.OSMesaCreateContextAttribs_
#define OSMesaDestroyContext rd_gl.OSMesaDestroyContext_
#define OSMesaMakeCurrent rd_gl.OSMesaMakeCurrent_
#define glActiveTexture rd_gl.glActiveTexture_
#define glAttachShader rd_gl.glAttachShader_
#define glBindAttribLocation rd_gl.glBindAttribLocation_
#define glBindBuffer rd_gl.glBindBuffer_
#define glBindFramebuffer rd_gl.glBindFramebuffer_
#define glBindRenderbuffer rd_gl.glBindRenderbuffer_
#define glBindTexture rd_gl.glBindTexture_
#define glBlendFunc rd_gl.glBlendFunc_
#define glBufferData rd_gl.glBufferData_
#define glCheckFramebufferStatus rd_gl.glCheckFramebufferStatus_
#define glClear rd_gl.glClear_
#define glColorMask rd_gl.glColorMask_
#define glCompileShader rd_gl.glCompileShader_
#define glCreateProgram rd_gl.glCreateProgram_
#define glCreateShader rd_gl.glCreateShader_
#define glDeleteBuffers rd_gl.glDeleteBuffers_
#define glDeleteShader rd_gl.glDeleteShader_
#define glDepthFunc rd_gl.glDepthFunc_
#define glDepthMask rd_gl.glDepthMask_
#define glDisable rd_gl.glDisable_
#define glDisableVertexAttribArray rd_gl.glDisableVertexAttribArray_
#define glDrawArrays rd_gl.glDrawArrays_
#define glDrawBuffer rd_gl.glDrawBuffer_
#define glDrawElements rd_gl.glDrawElements_
#define glEnable rd_gl.glEnable_
#define glEnableVertexAttribArray rd_gl.glEnableVertexAttribArray_
#define glFramebufferRenderbuffer rd_gl.glFramebufferRenderbuffer_
#define glFramebufferTexture2D rd_gl.glFramebufferTexture2D_
#define glGenBuffers rd_gl.glGenBuffers_
#define glGenFramebuffers rd_gl.glGenFramebuffers_
#define glGenRenderbuffers rd_gl.glGenRenderbuffers_
#define glGenTextures rd_gl.glGenTextures_
#define glGetError rd_gl.glGetError_
#define glGetProgramiv rd_gl.glGetProgramiv_
#define glGetShaderInfoLog rd_gl.glGetShaderInfoLog_
#define glGetShaderiv rd_gl.glGetShaderiv_
#define glGetUniformLocation rd_gl.glGetUniformLocation_
#define glLineWidth rd_gl.glLineWidth_
#define glLinkProgram rd_gl.glLinkProgram_
#define glPolygonMode rd_gl.glPolygonMode_
#define glPolygonOffset rd_gl.glPolygonOffset_
#define glReadBuffer rd_gl.glReadBuffer_
#define glReadPixels rd_gl.glReadPixels_
#define glRenderbufferStorage rd_gl.glRenderbufferStorage_
#define glShaderSource rd_gl.glShaderSource_
#define glTexImage2D rd_gl.glTexImage2D_
#define glTexParameteri rd_gl.glTexParameteri_
#define glUniform1f rd_gl.glUniform1f_
#define glUniform1i rd_gl.glUniform1i_
#define glUniform2f rd_gl.glUniform2f_
#define glUniform3fv rd_gl.glUniform3fv_
#define glUniform4fv rd_gl.glUniform4fv_
#define glUniformMatrix4fv rd_gl.glUniformMatrix4fv_
#define glUseProgram rd_gl.glUseProgram_
#define glVertexAttribPointer rd_gl.glVertexAttribPointer_
#define glViewport rd_gl.glViewport_
// clang-format on

#endif
