// The light: three lamps that go with the camera, a sky above and a floor below, then a soft
// shoulder for the highlights. All light is linear; the frame buffer encodes sRGB.
#include "gl.h"

static const char surface_vertex[] =
    "#version 130\n"
    "attribute vec3 position, normal;\n"
    "attribute vec4 painted;\n"
    "attribute float value;\n"
    "uniform mat4 view_projection, shadow_projection, placement;\n"
    "uniform vec4 plane;\n"
    "uniform float lift;\n"
    "varying vec3 at, facing;\n"
    "varying vec4 paint, in_shadow;\n"
    "varying float amount;\n"
    "void main() {\n"
    "  vec4 world = placement * vec4(position, 1.0);\n"
    "  at = world.xyz;\n"
    "  facing = mat3(placement[0].xyz, placement[1].xyz, placement[2].xyz) * normal;\n"
    "  paint = painted;\n"
    "  amount = value;\n"
    "  in_shadow = shadow_projection * vec4(at + lift * facing, 1.0);\n"
    "  gl_ClipDistance[0] = dot(plane, world);\n"
    "  gl_Position = view_projection * world;\n"
    "}\n";

// Cutting happens at the vertices (gl_ClipDistance): a discard here would make every hidden pixel
// be lit, too.
// gloss: strength of the highlights, roughness, rim, wet second lobe.
// bleed: how far light wraps around into the shadow, per colour.
static const char surface_fragment[] =
    "#version 130\n"
    "uniform vec3 eye, key, fill, rim, up, tint, inside;\n"
    "uniform vec4 gloss, bleed;\n"
    "uniform vec2 range;\n"
    "uniform float exposure, opacity, lit, by_value, shadowed, texel;\n"
    "uniform sampler2D map;\n"
    "uniform sampler2DShadow shadow_map;\n"
    "varying vec3 at, facing;\n"
    "varying vec4 paint, in_shadow;\n"
    "varying float amount;\n"
    "float lamp_visible() {\n"
    "  if (shadowed < 0.5) return 1.0;\n"
    "  float sum = 0.0;\n"
    "  for (int i = -1; i <= 1; i++)\n"
    "    for (int j = -1; j <= 1; j++)\n"
    "      sum += shadow2D(shadow_map, in_shadow.xyz + vec3(vec2(i, j) * 1.9 * texel, 0.0)).r;\n"
    "  return sum / 9.0;\n"
    "}\n"
    "vec3 soft(float turned) {\n"
    "  vec3 wrapped = clamp((turned + bleed.rgb) / (1.0 + bleed.rgb), 0.0, 1.0);\n"
    "  return wrapped * wrapped * (3.0 - 2.0 * wrapped) * 0.35 + wrapped * 0.65;\n"
    "}\n"
    "float spread(float nh, float rough) {\n"
    "  float a = rough * rough, d = nh * nh * (a * a - 1.0) + 1.0;\n"
    "  return a * a / (3.14159 * d * d);\n"
    "}\n"
    "float lobe(vec3 n, vec3 v, vec3 l, float nl, float nv) {\n"
    "  vec3 h = normalize(l + v);\n"
    "  float nh = max(dot(n, h), 0.0), back = 1.0 - max(dot(h, v), 0.0), rough = gloss.y;\n"
    "  float shade = 0.25 / mix(max(nl * nv, 0.02), 1.0, rough * rough), two = back * back;\n"
    "  float fresnel = 0.035 + 0.965 * two * two * back;\n"
    "  float both = spread(nh, rough) + gloss.w * spread(nh, 0.45 * rough);\n"
    "  return min(both * shade * fresnel * max(nl, 0.0), 4.0);\n"
    "}\n"
    "vec3 shoulder(vec3 c) {\n"
    "  vec3 high = max(c - 0.5, 0.0);\n"
    "  return min(c, 0.5) + 0.5 * high / (high + 0.5);\n"
    "}\n"
    "void main() {\n"
    "  vec3 base = paint.rgb * tint;\n"
    "  if (by_value > 0.5) {\n"
    "    float t = clamp((amount - range.x) / (range.y - range.x), 0.0, 1.0);\n"
    "    base = texture2D(map, vec2((t * 255.0 + 0.5) / 256.0, 0.5)).rgb;\n"
    "  }\n"
    "  if (lit < 0.5) {\n"
    "    gl_FragColor = vec4(base, opacity);\n"
    "    return;\n"
    "  }\n"
    "  vec3 n = normalize(facing), v = normalize(eye - at);\n"
    "  float open = paint.a;\n"
    "  if (!gl_FrontFacing) {\n"
    "    n = -n;\n"
    "    base = inside;\n"
    "    open = min(open, 0.7);\n"
    "  }\n"
    "  float seen = lamp_visible();\n"
    "  vec3 sky = mix(vec3(0.34, 0.30, 0.28), vec3(0.66, 0.70, 0.78), 0.5 + 0.5 * dot(n, up));\n"
    "  vec3 hidden = open * (1.0 + 0.9 * (1.0 - open) * bleed.rgb);\n"
    "  float to_key = dot(n, key), to_fill = dot(n, fill), to_rim = dot(n, rim);\n"
    "  vec3 dark = vec3(seen) + (1.0 - seen) * 0.22 * bleed.rgb;\n"
    "  vec3 light = 0.50 * sky * hidden;\n"
    "  light += vec3(1.62, 1.55, 1.47) * soft(to_key) * dark * mix(vec3(1.0), hidden, 0.45);\n"
    "  light += vec3(0.36, 0.41, 0.48) * soft(to_fill) * hidden;\n"
    "  light += vec3(0.75, 0.80, 0.90) * soft(to_rim) * hidden;\n"
    "  float nv = max(dot(n, v), 0.05), away = 1.0 - max(dot(n, v), 0.0);\n"
    "  float edge = away * away * away;\n"
    "  vec3 colour = base * light * 0.67;\n"
    "  vec3 shine = vec3(2.6, 2.5, 2.4) * seen * lobe(n, v, key, to_key, nv);\n"
    "  shine += vec3(0.5, 0.55, 0.6) * lobe(n, v, fill, to_fill, nv);\n"
    "  shine += vec3(1.1, 1.2, 1.35) * lobe(n, v, rim, to_rim, nv);\n"
    "  colour += gloss.x * shine * open * open;\n"
    "  colour += gloss.z * edge * open * (0.25 + 0.75 * base) * sky;\n"
    "  gl_FragColor = vec4(shoulder(colour * exposure), opacity);\n"
    "}\n";

static const char plain_fragment[] = "#version 130\n"
                                     "void main() {\n"
                                     "  gl_FragColor = vec4(1.0);\n"
                                     "}\n";

static const char backdrop_vertex[] = "#version 130\n"
                                      "attribute vec3 position;\n"
                                      "varying vec2 place;\n"
                                      "void main() {\n"
                                      "  place = position.xy;\n"
                                      "  gl_Position = vec4(position.xy, 0.999, 1.0);\n"
                                      "}\n";

static const char backdrop_fragment[] =
    "#version 130\n"
    "uniform vec3 top, bottom;\n"
    "uniform float vignette;\n"
    "varying vec2 place;\n"
    "void main() {\n"
    "  float corner = smoothstep(0.35, 1.5, length(place * vec2(0.9, 0.85)));\n"
    "  gl_FragColor = vec4(mix(bottom, top, 0.5 + 0.5 * place.y) * (1.0 - vignette * corner), "
    "1.0);\n"
    "}\n";

static mien_result compile(GLenum kind, const char *text, GLuint *out, mien_error *err) {
  GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &text, NULL);
  glCompileShader(shader);
  GLint done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (!done) {
    char why[160] = "";
    glGetShaderInfoLog(shader, sizeof why, NULL, why);
    glDeleteShader(shader);
    return rd_fail(err, MIEN_ERR_IO, "OSMesa could not compile a shader: %s", why);
  }
  *out = shader;
  return MIEN_OK;
}

static mien_result build(const char *vertex, const char *fragment, GLuint *out, mien_error *err) {
  GLuint first = 0, second = 0;
  mien_result result = compile(GL_VERTEX_SHADER, vertex, &first, err);
  if (result >= 0) result = compile(GL_FRAGMENT_SHADER, fragment, &second, err);
  if (result >= 0) {
    GLuint program = glCreateProgram();
    glAttachShader(program, first);
    glAttachShader(program, second);
    glBindAttribLocation(program, RD_AT_POSITION, "position");
    glBindAttribLocation(program, RD_AT_NORMAL, "normal");
    glBindAttribLocation(program, RD_AT_COLOUR, "painted");
    glBindAttribLocation(program, RD_AT_VALUE, "value");
    glLinkProgram(program);
    GLint done = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    if (!done) result = rd_fail(err, MIEN_ERR_IO, "OSMesa could not link a shader.");
    *out = program;
  }
  glDeleteShader(first);
  glDeleteShader(second);
  return result;
}

mien_result rd_shaders_create(render_target *target, mien_error *err) {
  mien_result result = build(surface_vertex, surface_fragment, &target->shade, err);
  if (result >= 0) result = build(surface_vertex, plain_fragment, &target->plain, err);
  if (result >= 0) result = build(backdrop_vertex, backdrop_fragment, &target->backdrop, err);
  return result;
}
