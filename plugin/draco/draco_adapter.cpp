// Nothing that Draco throws leaves this file: its callers are C.
#include "draco_adapter.h"

#include <draco/compression/decode.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>

struct mien_draco {
  std::unique_ptr<draco::Mesh> mesh;
};

namespace {

enum { WHY = 160, MOST_WIDTH = 16 };

template <typename T>
bool copyAttribute(const draco::Mesh &mesh, const draco::PointAttribute &attribute, int width,
                   void *to) {
  unsigned char *at = static_cast<unsigned char *>(to);
  T row[MOST_WIDTH];
  for (uint32_t i = 0; i < mesh.num_points(); i++, at += size_t(width) * sizeof(T)) {
    if (!attribute.ConvertValue<T>(attribute.mapped_index(draco::PointIndex(i)), int8_t(width),
                                   row))
      return false;
    std::memcpy(at, row, size_t(width) * sizeof(T));
  }
  return true;
}

template <typename T> bool copyCorners(const draco::Mesh &mesh, void *to) {
  unsigned char *at = static_cast<unsigned char *>(to);
  for (uint32_t f = 0; f < mesh.num_faces(); f++)
    for (const draco::PointIndex &corner : mesh.face(draco::FaceIndex(f))) {
      if (corner.value() > std::numeric_limits<T>::max() || corner.value() >= mesh.num_points())
        return false;
      const T value = static_cast<T>(corner.value());
      std::memcpy(at, &value, sizeof value);
      at += sizeof value;
    }
  return true;
}

} // namespace

mien_draco *mien_draco_open(const void *bytes, size_t size, char why[160]) {
  std::snprintf(why, WHY, "it is no triangle mesh");
  try {
    draco::DecoderBuffer buffer;
    buffer.Init(static_cast<const char *>(bytes), size);
    const auto type = draco::Decoder::GetEncodedGeometryType(&buffer);
    if (!type.ok() || type.value() != draco::TRIANGULAR_MESH) return nullptr;
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    const uint32_t most = std::numeric_limits<int32_t>::max() / 16;
    if (decoded.ok() && decoded.value() && decoded.value()->num_points() <= most &&
        decoded.value()->num_faces() <= most)
      return new mien_draco{std::move(decoded).value()};
    if (!decoded.ok()) std::snprintf(why, WHY, "%.140s", decoded.status().error_msg());
  } catch (const std::exception &error) {
    std::snprintf(why, WHY, "%.140s", error.what());
  }
  return nullptr;
}

void mien_draco_close(mien_draco *draco) {
  delete draco;
}

int mien_draco_vertices(const mien_draco *draco) {
  return int(draco->mesh->num_points());
}

int mien_draco_triangles(const mien_draco *draco) {
  return int(draco->mesh->num_faces());
}

int mien_draco_attribute(const mien_draco *draco, unsigned id, int component, int width, void *to) {
  const draco::PointAttribute *attribute = draco->mesh->GetAttributeByUniqueId(id);
  if (!attribute || width < 1 || width > MOST_WIDTH || attribute->num_components() != width)
    return 0;
  const draco::Mesh &mesh = *draco->mesh;
  switch (component) {
  case MIEN_DRACO_BYTE:
    return copyAttribute<int8_t>(mesh, *attribute, width, to);
  case MIEN_DRACO_UBYTE:
    return copyAttribute<uint8_t>(mesh, *attribute, width, to);
  case MIEN_DRACO_SHORT:
    return copyAttribute<int16_t>(mesh, *attribute, width, to);
  case MIEN_DRACO_USHORT:
    return copyAttribute<uint16_t>(mesh, *attribute, width, to);
  case MIEN_DRACO_UINT:
    return copyAttribute<uint32_t>(mesh, *attribute, width, to);
  case MIEN_DRACO_FLOAT:
    return copyAttribute<float>(mesh, *attribute, width, to);
  default:
    return 0;
  }
}

int mien_draco_corners(const mien_draco *draco, int component, void *to) {
  switch (component) {
  case MIEN_DRACO_UBYTE:
    return copyCorners<uint8_t>(*draco->mesh, to);
  case MIEN_DRACO_USHORT:
    return copyCorners<uint16_t>(*draco->mesh, to);
  case MIEN_DRACO_UINT:
    return copyCorners<uint32_t>(*draco->mesh, to);
  default:
    return 0;
  }
}
