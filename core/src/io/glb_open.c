// The container: header, JSON chunk, binary chunk; which features the file asks for; its buffers.
#include "io/glb.h"

enum {
  MAGIC = 0x46546C67,      // "glTF"
  JSON_CHUNK = 0x4E4F534A, // "JSON"
  BIN_CHUNK = 0x004E4942,  // "BIN"
  NODE_COST = 160          // bytes jansson takes for a value, generously
};

static const size_t FREE_BUDGET = (size_t)64 << 20, UNFOLD = 64;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "glTF is little-endian, and so must be the machine that maps its arrays"
#endif

static uint32_t get_u32(const unsigned char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return value;
}

bool mi_glb_charge(mi_glb *glb, size_t count, size_t size) {
  if (count > glb->budget / (size ? size : 1)) {
    mi_fail(glb->err, MIEN_ERR_FORMAT,
            "the file is damaged: it would unfold to many times its own size");
    return false;
  }
  glb->budget -= count * size;
  return true;
}

void *mi_glb_push(mi_glb *glb, size_t count, size_t size) {
  if (!mi_glb_charge(glb, count, size)) return NULL;
  void *memory = mi_arena_push(&glb->arena, count, size);
  if (!memory) mi_fail_memory(glb->err);
  return memory;
}

static mien_result split_chunks(mi_glb *glb, mi_bytes file, mi_bytes *json, mi_bytes *bin) {
  mien_error *err = glb->err;
  if (file.size && file.data[0] == '{') { // a .gltf: all text
    *json = file;
    return MIEN_OK;
  }
  if (file.size < 12 || get_u32(file.data) != MAGIC)
    return mi_fail(err, MIEN_ERR_FORMAT, "this is not a .glb file: it does not start with glTF");
  uint32_t version = get_u32(file.data + 4);
  if (version != 2)
    return mi_fail(err, MIEN_ERR_FORMAT, "the file is glTF version %u; mien reads version 2",
                   version);
  if (get_u32(file.data + 8) > file.size)
    return mi_fail(err, MIEN_ERR_FORMAT,
                   "the file is cut short: it says it has %u bytes, there are %zu",
                   get_u32(file.data + 8), file.size);
  file.size = get_u32(file.data + 8);
  for (size_t at = 12; file.size >= 8 && at <= file.size - 8;) {
    size_t length = get_u32(file.data + at);
    uint32_t type = get_u32(file.data + at + 4);
    at += 8;
    if (length > file.size - at)
      return mi_fail(err, MIEN_ERR_FORMAT, "the file is damaged: a chunk of %zu bytes ends outside",
                     length);
    if (type == JSON_CHUNK && !json->data) *json = (mi_bytes){file.data + at, length};
    if (type == BIN_CHUNK && !bin->data) *bin = (mi_bytes){file.data + at, length};
    at += length;
  }
  if (!json->data) return mi_fail(err, MIEN_ERR_FORMAT, "the file is damaged: no JSON chunk");
  return MIEN_OK;
}

// Bounds the memory that jansson takes for the text. It uses malloc, not the host's allocator, so
// the limit has to be held before it starts.
static size_t json_cost(mi_bytes json) {
  size_t cost = json.size;
  bool in_string = false;
  for (size_t i = 0; i < json.size; i++) {
    unsigned char c = json.data[i];
    if (in_string && c == '\\') {
      i++;
      continue;
    }
    if (c == '"') in_string = !in_string;
    if (!in_string && (c == '[' || c == '{' || c == ',' || c == ':')) cost += NODE_COST;
  }
  return cost;
}

mien_result mi_json_check(const void *text, size_t size, size_t memory_limit, mien_error *err) {
  size_t cost = json_cost((mi_bytes){text, size});
  if (memory_limit && cost > memory_limit) return mi_fail_memory(err);
  if (cost / UNFOLD > size + FREE_BUDGET / UNFOLD)
    return mi_fail(err, MIEN_ERR_FORMAT, "the file's JSON of %zu bytes is too large", size);
  return MIEN_OK;
}

static mien_result parse_json(mi_glb *glb, mi_bytes json) {
  size_t cost = json_cost(json);
  if (glb->host->memory_limit && cost > glb->host->memory_limit) return mi_fail_memory(glb->err);
  if (cost > glb->budget)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file's JSON of %zu bytes is too large",
                   json.size);
  glb->budget -= cost;
  json_error_t why;
  glb->root = json_loadb((const char *)json.data, json.size, JSON_DISABLE_EOF_CHECK, &why);
  if (!glb->root && json_error_code(&why) == json_error_out_of_memory)
    return mi_fail_memory(glb->err);
  if (!glb->root)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file's JSON is damaged at byte %d: %.120s",
                   why.position, why.text);
  if (!json_is_object(glb->root))
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "the file's JSON is not an object");
  const char *version =
      json_string_value(json_object_get(json_object_get(glb->root, "asset"), "version"));
  if (version && strcspn(version, ".") == 1 && version[0] != '2')
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is glTF version %.20s; mien reads version 2", version);
  glb->nodes = json_object_get(glb->root, "nodes");
  glb->meshes = json_object_get(glb->root, "meshes");
  glb->accessors = json_object_get(glb->root, "accessors");
  glb->views = json_object_get(glb->root, "bufferViews");
  return MIEN_OK;
}

mien_result mi_glb_refuse_compressed(mi_glb *glb, const char *name) {
  return mi_fail(glb->err, MIEN_ERR_FORMAT,
                 "the file is compressed with %s, which mien does not read; export it again "
                 "without compression",
                 name);
}

static mien_result check_extensions(mi_glb *glb) {
  static const char *const harmless[] = {"KHR_mesh_quantization",     "KHR_texture_transform",
                                         "KHR_lights_punctual",       "KHR_materials_",
                                         "KHR_node_visibility",       "EXT_texture_webp",
                                         "KHR_texture_basisu",        "EXT_meshopt_compression",
                                         "KHR_meshopt_compression",   "VRM",
                                         "KHR_draco_mesh_compression"};
  const json_t *required = json_object_get(glb->root, "extensionsRequired");
  for (int i = 0; i < mi_glb_length(required); i++) {
    const char *name = json_string_value(json_array_get(required, (size_t)i));
    bool known = false;
    for (size_t h = 0; name && h < sizeof harmless / sizeof *harmless; h++)
      known |= strncmp(name, harmless[h], strlen(harmless[h])) == 0;
    if (!known)
      return mi_fail(glb->err, MIEN_ERR_FORMAT,
                     "the file needs the extension %.80s, which mien does not read; export it "
                     "again without it",
                     name ? name : "(not a name)");
  }
  return MIEN_OK;
}

static int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// "data:...;base64,AAAA" -> bytes
static mien_result decode_data_uri(mi_glb *glb, const char *uri, int which, mi_bytes *out) {
  const char *comma = strchr(uri, ',');
  if (!comma || comma - uri < 7 || memcmp(comma - 7, ";base64", 7) != 0)
    return mi_fail(glb->err, MIEN_ERR_FORMAT, "buffer %d: a data URI must be base64", which);
  const char *text = comma + 1;
  size_t length = strlen(text);
  while (length && text[length - 1] == '=') length--;
  unsigned char *bytes = mi_glb_push(glb, length / 4 * 3 + 3, 1);
  if (!bytes) return glb->err->code;
  uint32_t bits = 0;
  size_t size = 0;
  int nbit = 0;
  for (size_t i = 0; i < length; i++) {
    int digit = base64_digit(text[i]);
    if (digit < 0)
      return mi_fail(glb->err, MIEN_ERR_FORMAT, "buffer %d: the base64 text is damaged", which);
    bits = bits << 6 | (uint32_t)digit;
    nbit += 6;
    if (nbit < 8) continue;
    nbit -= 8;
    bytes[size++] = (unsigned char)(bits >> nbit);
  }
  *out = (mi_bytes){bytes, size};
  return MIEN_OK;
}

static mien_result open_buffer(mi_glb *glb, const json_t *json, int which, mi_bytes bin) {
  mi_bytes *buffer = &glb->buffer[which];
  const json_t *uri = json_object_get(json, "uri");
  int64_t length;
  mien_result result = mi_glb_whole(glb, json, "byteLength", 0, &length);
  if (result < 0) return result;
  if (uri) {
    const char *text = json_string_value(uri);
    if (!text || strncmp(text, "data:", 5) != 0)
      return mi_fail(glb->err, MIEN_ERR_FORMAT,
                     "buffer %d lies in another file (%.80s); export the rig as one .glb file",
                     which, text ? text : "no name");
    result = decode_data_uri(glb, text, which, buffer);
    if (result < 0) return result;
  } else if (which == 0) {
    *buffer = bin;
  } else {
    return MIEN_OK; // stays empty; using it fails
  }
  if ((uint64_t)length > buffer->size)
    return mi_fail(glb->err, MIEN_ERR_FORMAT,
                   "the file is cut short: buffer %d should have %lld bytes, there are %zu", which,
                   (long long)length, buffer->size);
  buffer->size = (size_t)length;
  return MIEN_OK;
}

static mien_result open_buffers(mi_glb *glb, mi_bytes bin) {
  static const unsigned char nothing[1] = {0};
  const json_t *buffers = json_object_get(glb->root, "buffers");
  glb->nbuffer = mi_glb_length(buffers);
  glb->buffer = MI_PUSH(&glb->arena, mi_bytes, glb->nbuffer);
  if (!glb->buffer) return mi_fail_memory(glb->err);
  mien_result result = MIEN_OK;
  if (!bin.data) bin.data = nothing;
  for (int i = 0; i < glb->nbuffer; i++) glb->buffer[i].data = nothing;
  for (int i = 0; result >= 0 && i < glb->nbuffer; i++)
    result = open_buffer(glb, json_array_get(buffers, (size_t)i), i, bin);
  return result;
}

mien_result mi_glb_open(mi_glb *glb, const void *bytes, size_t size, const mien_host *host,
                        mien_error *err) {
  *glb = (mi_glb){.host = host};
  glb->err = err ? err : &glb->own_error;
  mi_arena_init(&glb->arena, host);
  glb->remarks.arena = &glb->arena;
  glb->budget = size < (SIZE_MAX / 2 - FREE_BUDGET) / UNFOLD ? FREE_BUDGET + UNFOLD * size : size;
  mi_bytes json = {0}, bin = {0};
  mien_result result = split_chunks(glb, (mi_bytes){bytes, size}, &json, &bin);
  if (result >= 0) result = parse_json(glb, json);
  if (result >= 0) result = check_extensions(glb);
  if (result >= 0) result = open_buffers(glb, bin);
  if (result >= 0) result = mi_glb_decompress(glb);
  if (result >= 0) result = mi_glb_unpack_meshes(glb);
  if (result < 0) mi_glb_close(glb);
  return result;
}

void mi_glb_close(mi_glb *glb) {
  json_decref(glb->root);
  glb->root = NULL;
  mi_arena_free(&glb->arena);
}
