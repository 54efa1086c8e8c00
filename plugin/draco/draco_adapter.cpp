// Nothing that Draco throws leaves this file: its callers are C.
#include "draco_adapter.h"

#include <draco/compression/mesh/mesh_edgebreaker_decoder.h>
#include <draco/compression/mesh/mesh_sequential_decoder.h>
#include <draco/core/varint_decoding.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <type_traits>

struct mien_draco {
  std::unique_ptr<draco::Mesh> mesh;
};

namespace {

enum { WHY = 160, MOST_WIDTH = 16 };

// Draco believes the counts that bytes state: 87 bytes took 2.3 GB. A decoder that looks at them
// first and stops where what comes out would be more than `most` bytes.
template <typename Decoder> class Bounded : public Decoder {
public:
  explicit Bounded(size_t most) : most_(most) {}

  size_t size() const { return size_; }

protected:
  bool DecodeConnectivity() override {
    draco::DecoderBuffer ahead = *this->buffer();
    uint32_t first, second;
    uint8_t seams = 0; // each set of seams has corners of its own
    if (this->bitstream_version() < DRACO_BITSTREAM_VERSION(2, 2) || // glTF has no older ones
        !draco::DecodeVarint(&first, &ahead) || !draco::DecodeVarint(&second, &ahead))
      return false;
    const bool hasSeams = std::is_same<Decoder, draco::MeshEdgebreakerDecoder>::value;
    if (hasSeams && !ahead.Decode(&seams)) return false;
    const uint64_t faces = hasSeams ? second : first;
    return add(faces * 3 * sizeof(uint32_t) * (1 + uint64_t(seams))) &&
           Decoder::DecodeConnectivity();
  }

  bool DecodeAllAttributes() override {
    const draco::PointCloud &cloud = *this->point_cloud();
    uint64_t row = 0;
    for (int a = 0; a < cloud.num_attributes(); a++)
      row += uint64_t(cloud.attribute(a)->byte_stride());
    for (int d = 0; d < this->num_attributes_decoders(); d++)
      row += sizeof(uint32_t); // each puts the points in an order of its own
    return add(row * cloud.num_points()) && Decoder::DecodeAllAttributes();
  }

private:
  size_t most_, size_ = 0;

  bool add(uint64_t more) {
    size_ = more > std::numeric_limits<size_t>::max() - size_ ? std::numeric_limits<size_t>::max()
                                                              : size_ + size_t(more);
    return size_ <= most_;
  }
};

template <typename Decoder>
draco::Status decode(draco::DecoderBuffer *buffer, draco::Mesh *mesh, size_t most, size_t *size) {
  Bounded<Decoder> decoder(most);
  const draco::Status status = decoder.Decode(draco::DecoderOptions(), buffer, mesh);
  *size = decoder.size();
  return status;
}

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

mien_draco *mien_draco_open(const void *bytes, size_t size, size_t most, size_t *unfolded,
                            char why[160]) {
  std::snprintf(why, WHY, "it is no triangle mesh");
  *unfolded = 0;
  try {
    draco::DecoderBuffer buffer;
    buffer.Init(static_cast<const char *>(bytes), size);
    draco::DecoderBuffer ahead = buffer;
    draco::DracoHeader header;
    if (!draco::PointCloudDecoder::DecodeHeader(&ahead, &header).ok() ||
        header.encoder_type != draco::TRIANGULAR_MESH)
      return nullptr;
    auto mesh = std::make_unique<draco::Mesh>();
    const draco::Status status =
        header.encoder_method == draco::MESH_EDGEBREAKER_ENCODING
            ? decode<draco::MeshEdgebreakerDecoder>(&buffer, mesh.get(), most, unfolded)
            : decode<draco::MeshSequentialDecoder>(&buffer, mesh.get(), most, unfolded);
    const uint32_t limit = std::numeric_limits<int32_t>::max() / 16;
    if (status.ok() && mesh->num_points() <= limit && mesh->num_faces() <= limit)
      return new mien_draco{std::move(mesh)};
    if (!status.ok()) std::snprintf(why, WHY, "%.140s", status.error_msg());
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
  // bytes that are neither 0 nor 1 are no bool; glTF has none
  if (!attribute || width < 1 || width > MOST_WIDTH || attribute->num_components() != width ||
      attribute->data_type() == draco::DT_BOOL)
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
