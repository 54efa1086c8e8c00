#!/bin/sh
# A method the host declares but does not have must not link, a class declared by hand must not
# compile, a class of a library that is not named must not link, and the same files without them must
# do both. usage: test_link.sh COMPILER INCLUDE LIBRARIES
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() { # TEXT [LIBRARIES]
  printf '%s\n' "$1" >"$work/probe.cpp"
  "$compiler" -std=c++17 -fPIC -shared -DMAYA_HOST_VERSION=20220000 -I"$include" \
    "$work/probe.cpp" -L"$libraries" ${2:--lFoundation -lOpenMaya} -Wl,--no-as-needed -Wl,-z,defs -o "$work/probe.so" >"$work/log" 2>&1
}
compiler=$1 include=$2 libraries=$3

good='#include <maya/MFnMesh.h>
int probe(MFnMesh &mesh) { return mesh.numVertices(); }'
missing='#include <maya/MFnMesh.h>
#include <maya/MFloatVectorArray.h>
#include <maya/MStatus.h>
bool probe(MFnMesh &mesh, MFloatVectorArray &n) { return mesh.getVertexNormals(true, n); }'
stray='class MFnMesh;
#include <maya/MFnMesh.h>
int probe(MFnMesh &mesh) { return mesh.numVertices(); }'

build "$good" || { cat "$work/log"; echo "a plain use of the API does not build"; exit 1; }
if build "$missing"; then echo "a missing method linked"; exit 1; fi
grep -q "undefined reference" "$work/log" || { cat "$work/log"; echo "not a link error"; exit 1; }
if build "$stray"; then echo "a class declared by hand compiled"; exit 1; fi
grep -q "ambiguous" "$work/log" || { cat "$work/log"; echo "not for being ambiguous"; exit 1; }
device='#include <maya/MPxThreadedDeviceNode.h>
bool probe(MPxThreadedDeviceNode &node) { return node.isLive(); }'
if build "$device"; then echo "a device linked without OpenMayaUI"; exit 1; fi
build "$device" "-lFoundation -lOpenMaya -lOpenMayaUI" || { cat "$work/log"; echo "a device does not link"; exit 1; }
echo "5 probes as expected"
