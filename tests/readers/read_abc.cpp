// read_abc SHOT.abc 'shot.{mesh}.pc2': the real Alembic library reads what mien wrote, and every
// mesh holds the points of its own point cache, frame by frame, bit for bit.
#include <Alembic/AbcCoreOgawa/All.h>
#include <Alembic/AbcGeom/All.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

using namespace Alembic::AbcGeom;

namespace {

int wrong = 0;

void expect(bool holds, const std::string &what) {
  if (holds) return;
  std::printf("FAILED: %s\n", what.c_str());
  wrong++;
}

struct Cache {
  int npoint = 0, nframe = 0;
  float start = 0;
  std::vector<float> points;
};

Cache readCache(std::string path, const std::string &name) {
  path.replace(path.find("{mesh}"), 6, name);
  std::ifstream file(path, std::ios::binary);
  char head[32] = {0};
  Cache cache;
  if (!file.read(head, sizeof head)) {
    expect(false, "there is no cache " + path);
    return cache;
  }
  std::memcpy(&cache.npoint, head + 16, 4);
  std::memcpy(&cache.start, head + 20, 4);
  std::memcpy(&cache.nframe, head + 28, 4);
  cache.points.resize(3 * size_t(cache.npoint) * size_t(cache.nframe));
  file.read(reinterpret_cast<char *>(cache.points.data()),
            std::streamsize(4 * cache.points.size()));
  return cache;
}

void checkTopology(const IPolyMeshSchema::Sample &sample, const std::string &name) {
  size_t ncorner = sample.getFaceIndices()->size();
  expect(3 * sample.getFaceCounts()->size() == ncorner, name + ": not all faces are triangles");
  for (size_t i = 0; i < ncorner; i++) {
    int corner = (*sample.getFaceIndices())[i];
    expect(corner >= 0 && size_t(corner) < sample.getPositions()->size(), name + ": a corner");
  }
}

void checkMesh(IPolyMesh mesh, const std::string &name, const std::string &pattern, double rate) {
  IPolyMeshSchema &schema = mesh.getSchema();
  Cache cache = readCache(pattern, name);
  expect(int(schema.getNumSamples()) == cache.nframe, name + ": frames");
  expect(schema.getTopologyVariance() != kHeterogenousTopology, name + ": topology changes");
  for (int f = 0; f < cache.nframe && f < int(schema.getNumSamples()); f++) {
    IPolyMeshSchema::Sample sample;
    schema.get(sample, ISampleSelector(index_t(f)));
    const V3f *points = sample.getPositions()->get();
    expect(int(sample.getPositions()->size()) == cache.npoint, name + ": points");
    if (wrong) return;
    size_t size = 3 * size_t(cache.npoint) * sizeof(float);
    expect(!std::memcmp(points, cache.points.data() + 3 * size_t(f) * size_t(cache.npoint), size),
           name + ": points of a frame");
    expect(std::fabs(schema.getTimeSampling()->getSampleTime(index_t(f)) -
                     (double(cache.start) + f) / rate) < 1e-6,
           name + ": time of a frame");
    Box3d box = sample.getSelfBounds();
    expect(!box.isEmpty() && box.intersects(V3d(points[0])), name + ": bounds");
    if (f == 0) checkTopology(sample, name);
  }
  if (IV2fGeomParam uvs = schema.getUVsParam()) {
    size_t n = uvs.getExpandedValue().getVals()->size();
    IPolyMeshSchema::Sample sample = schema.getValue();
    bool perPoint = uvs.getScope() == kVertexScope;
    expect(n == (perPoint ? sample.getPositions()->size() : sample.getFaceIndices()->size()),
           name + ": uvs");
  }
  std::printf("%s: %d points, %d frames\n", name.c_str(), cache.npoint, cache.nframe);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  IArchive archive(Alembic::AbcCoreOgawa::ReadArchive(), argv[1]);
  expect(archive.getPtr()->getMetaData().get("mien_space") == "head", "the space is not said");
  IObject top = archive.getTop();
  expect(top.getNumChildren() > 0, "there is nothing in it");
  for (size_t i = 0; i < top.getNumChildren(); i++) {
    const ObjectHeader &header = top.getChildHeader(i);
    expect(IXform::matches(header), header.getName() + " is no transform");
    IXform node(top, header.getName());
    M44d place = node.getSchema().getValue().getMatrix();
    expect(std::isfinite(place.determinant()) && place[3][3] == 1, "a transform");
    expect(node.getNumChildren() == 1 && IPolyMesh::matches(node.getChildHeader(0)), "no mesh");
    if (wrong) return 1;
    checkMesh(IPolyMesh(node, "mesh"), header.getName(), argv[2], std::atof(argv[3]));
  }
  return wrong ? 1 : 0;
}
