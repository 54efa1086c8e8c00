// Prints every attribute of a node type of a plug-in, "long short", for check_mel.py.
// usage: list_attributes PLUGIN TYPE
#include "engine/scene.h"

#include <cstdio>

static void print(const host::Attr *a) {
  std::printf("%s %s\n", a->longName.c_str(), a->shortName.c_str());
  for (const host::Attr *c : a->children) print(c);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  host::Scene scene;
  if (!scene.loadPlugin(argv[1]) || !scene.type(argv[2])) {
    std::fprintf(stderr, "%s has no node type %s\n", argv[1], argv[2]);
    return 1;
  }
  for (const host::Attr *a : scene.type(argv[2])->all()) print(a);
  return 0;
}
