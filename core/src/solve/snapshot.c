// A state as bytes: for scrubbing, cached playback, resumed bakes and comparing machines.
//
//   prefix, values, arrays: as the list of fields has them
#include "solve/fields.h"

#include <string.h>

typedef struct prefix {
  char magic[8];
  uint32_t version, size_of_header;
  uint64_t size, face; // bytes in all; hash of the face it belongs to
} prefix;

static const char MAGIC[8] = "mienst10";
enum { VERSION = 10, HEADER = sizeof(prefix) + MI_VALUES_SIZE };

static size_t size_of(const mi_field fields[MI_NFIELD]) {
  size_t size = sizeof(prefix);
  for (int k = 0; k < MI_NFIELD; k++) size += mi_field_bytes(fields + k);
  return size;
}

size_t mi_state_size(const mien_state *state) {
  mi_field fields[MI_NFIELD];
  mi_fields_of(state, fields);
  return size_of(fields);
}

// the prefix and all values
static void write_header(const mien_state *state, const mi_field fields[MI_NFIELD],
                         unsigned char bytes[HEADER]) {
  prefix head = {.version = VERSION,
                 .size_of_header = HEADER,
                 .size = size_of(fields),
                 .face = state->face->info.hash};
  memcpy(head.magic, MAGIC, sizeof MAGIC);
  memcpy(bytes, &head, sizeof head);
  bytes += sizeof head;
  for (int k = 0; k < MI_NVALUE; k++) {
    memcpy(bytes, fields[k].data, fields[k].size);
    bytes += fields[k].size;
  }
}

void mi_state_save(const mien_state *state, unsigned char *bytes) {
  mi_field fields[MI_NFIELD];
  mi_fields_of(state, fields);
  write_header(state, fields, bytes);
  bytes += HEADER;
  for (int k = MI_NVALUE; k < MI_NFIELD; k++) {
    mi_copy_away(bytes, fields[k].data, mi_field_bytes(fields + k));
    bytes += mi_field_bytes(fields + k);
  }
}

static mien_result check(const mien_state *state, const mi_field fields[MI_NFIELD],
                         const unsigned char *bytes, mien_error *err) {
  prefix head;
  memcpy(&head, bytes, sizeof head);
  bytes += sizeof head;
  if (memcmp(head.magic, MAGIC, sizeof MAGIC) || head.version != VERSION ||
      head.size_of_header != HEADER)
    return mi_fail(err, MIEN_ERR_FORMAT, "this is not a snapshot of this version of mien");
  if (head.face != state->face->info.hash)
    return mi_fail(err, MIEN_ERR_MISMATCH, "the snapshot belongs to another face");
  if (head.size != size_of(fields))
    return mi_fail(err, MIEN_ERR_FORMAT, "the snapshot's header is damaged");
  for (int k = 0; k < MI_NFIELD; k++) {
    mien_result result = mi_field_check(fields + k, bytes, err);
    if (result < 0) return result;
    bytes += mi_field_bytes(fields + k);
  }
  return MIEN_OK;
}

mien_result mi_state_restore(mien_state *state, const unsigned char *bytes, size_t size,
                             mien_error *err) {
  mi_field fields[MI_NFIELD];
  mi_fields_of(state, fields);
  if (size != size_of(fields))
    return mi_fail(err, MIEN_ERR_MISMATCH, "a snapshot of this face has %zu bytes, not %zu",
                   size_of(fields), size);
  mien_result result = check(state, fields, bytes, err);
  if (result != MIEN_OK) return result;
  bytes += sizeof(prefix);
  for (int k = 0; k < MI_NFIELD; k++) {
    memcpy(fields[k].data, bytes, mi_field_bytes(fields + k));
    bytes += mi_field_bytes(fields + k);
  }
  mi_state_publish(state);
  return MIEN_OK;
}

uint64_t mi_state_hash(const mien_state *state) {
  unsigned char header[HEADER];
  mi_field fields[MI_NFIELD];
  mi_fields_of(state, fields);
  write_header(state, fields, header);
  uint64_t hash = mi_hash(0, header, sizeof header);
  for (int k = MI_NVALUE; k < MI_NFIELD; k++)
    hash = mi_hash(hash, fields[k].data, mi_field_bytes(fields + k));
  return hash;
}

void mi_state_assign(mien_state *to, const mien_state *from) {
  mi_field into[MI_NFIELD], out_of[MI_NFIELD];
  mi_fields_of(to, into);
  mi_fields_of(from, out_of);
  for (int k = 0; k < MI_NFIELD; k++)
    memmove(into[k].data, out_of[k].data, mi_field_bytes(into + k));
  mi_state_publish(to);
}
