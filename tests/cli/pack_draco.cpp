// pack_draco METHOD IN OUT: packs a mesh with Draco's own encoder; METHOD is 0 (sequential, keeps
// the order of vertices) or 1 (edge breaker). IN holds int32 numbers of vertices, triangles and
// attributes; of every attribute its Draco type, its width and floats; then uint32 corners. The ids
// of the attributes are their numbers.
#include <draco/compression/encode.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

template <typename T> std::vector<T> take(std::FILE *file, size_t count) {
  std::vector<T> values(count);
  if (std::fread(values.data(), sizeof(T), count, file) != count) std::exit(2);
  return values;
}

} // namespace

int main(int argc, char **argv) {
  std::FILE *in = argc == 4 ? std::fopen(argv[2], "rb") : nullptr;
  if (!in) return 2;
  const std::vector<int32_t> head = take<int32_t>(in, 3);
  draco::Mesh mesh;
  mesh.set_num_points(uint32_t(head[0]));
  for (int a = 0; a < head[2]; a++) {
    const std::vector<int32_t> about = take<int32_t>(in, 2);
    const std::vector<float> values = take<float>(in, size_t(head[0]) * size_t(about[1]));
    draco::GeometryAttribute attribute;
    attribute.Init(draco::GeometryAttribute::Type(about[0]), nullptr, uint8_t(about[1]),
                   draco::DT_FLOAT32, false, 4 * about[1], 0);
    const int id = mesh.AddAttribute(attribute, true, uint32_t(head[0]));
    for (int i = 0; i < head[0]; i++)
      mesh.attribute(id)->SetAttributeValue(draco::AttributeValueIndex(uint32_t(i)),
                                            &values[size_t(i * about[1])]);
  }
  const std::vector<uint32_t> corners = take<uint32_t>(in, 3 * size_t(head[1]));
  std::fclose(in);
  for (size_t t = 0; t < corners.size(); t += 3)
    mesh.AddFace({draco::PointIndex(corners[t]), draco::PointIndex(corners[t + 1]),
                  draco::PointIndex(corners[t + 2])});
  draco::Encoder encoder;
  encoder.SetEncodingMethod(std::atoi(argv[1]) ? draco::MESH_EDGEBREAKER_ENCODING
                                               : draco::MESH_SEQUENTIAL_ENCODING);
  encoder.SetAttributeQuantization(draco::GeometryAttribute::POSITION, 16);
  encoder.SetAttributeQuantization(draco::GeometryAttribute::TEX_COORD, 14);
  draco::EncoderBuffer packed;
  if (!encoder.EncodeMeshToBuffer(mesh, &packed).ok()) return 1;
  std::FILE *out = std::fopen(argv[3], "wb");
  if (!out || std::fwrite(packed.data(), 1, packed.size(), out) != packed.size()) return 1;
  return std::fclose(out);
}
