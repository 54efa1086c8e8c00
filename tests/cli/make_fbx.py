"""make_fbx.py OUT.fbx text|binary: a sheet with all that FBX files hold and importers lose. A shape with
in-betweens at 25 and 75 percent, polygons of two materials, two vertices at one place, a vertex in no polygon,
Z up, centimetres, a mesh that is turned and moved, a head joint; a picture as 3ds Max puts it into text."""

import math
import struct
import sys
import zlib

NCELL = 6
SIDE = NCELL + 1


def points():
    """SIDE x SIDE vertices, the last row a second time, and one vertex alone."""
    rows = []
    for j in list(range(SIDE)) + [NCELL]:
        for i in range(SIDE):
            x = 16.0 * i / NCELL - 8.0
            rows.append((x, 0.02 * x * x, 20.0 * j / NCELL - 10.0))
    return rows + [(1.5, -2.5, 3.5)]


def polygons():
    """The upper half hangs on the repeated row: two pieces that touch."""
    faces = []
    for j in range(NCELL):
        for i in range(NCELL):
            a = j * SIDE + i
            faces.append((a, a + 1, a + SIDE + 1, a + SIDE))
    a = SIDE * SIDE
    faces += [(a + i, a + i + 1, NCELL * SIDE + i + 1) for i in range(NCELL)]
    return faces


def shape(factor):
    """Offsets of a form along a curved way: the lower half goes down and out; so does the lone vertex."""
    moved = [v for v, p in enumerate(points()) if p[2] < 0 or p[0] == 1.5]
    return moved, [d for _ in moved for d in (0.0, -4.0 * factor * (1 - factor), -3.0 * factor)]


class Node:
    def __init__(self, name, *values, children=()):
        self.name, self.values, self.children = name, values, list(children)


def array(kind, values):
    return (kind, list(values))


def properties(*rows):
    return Node("Properties70", children=[Node("P", *row) for row in rows])


def text_id(name, kind):
    return ("id", name, kind)


def geometry(number, name):
    flat = [c for p in points() for c in p]
    corners = [c if k + 1 < len(f) else -1 - c for f in polygons() for k, c in enumerate(f)]
    material = [1 if k % 3 == 0 else 0 for k in range(len(polygons()))]
    layer = [
        Node("Version", 101),
        Node("Name", ""),
        Node("MappingInformationType", "ByPolygon"),
        Node("ReferenceInformationType", "IndexToDirect"),
        Node("Materials", array("i", material)),
    ]
    return Node(
        "Geometry",
        number,
        text_id(name, "Geometry"),
        "Mesh",
        children=[
            Node("Vertices", array("d", flat)),
            Node("PolygonVertexIndex", array("i", corners)),
            Node("LayerElementMaterial", 0, children=layer),
        ],
    )


def target(number, name, factor):
    moved, deltas = shape(factor)
    return Node(
        "Geometry",
        number,
        text_id(name, "Geometry"),
        "Shape",
        children=[Node("Version", 100), Node("Indexes", array("i", moved)), Node("Vertices", array("d", deltas)), Node("Normals", array("d", [0.0] * len(deltas)))],
    )


def channel(number, name, full):
    return Node(
        "Deformer",
        number,
        text_id(name, "SubDeformer"),
        "BlendShapeChannel",
        children=[Node("Version", 100), Node("DeformPercent", 0.0), Node("FullWeights", array("d", full))],
    )


PLACE = (3.0, -2.0, 150.0)  # of the mesh, in the file's axes
NECK = (3.0, 1.0, 152.0)


def cluster(number):
    """Skin on the head joint, as bound: where the joint stands, and the mesh as seen from there; column after column."""
    stands = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, *NECK, 1.0]
    c, s = 1.1 * math.cos(math.radians(10)), 1.1 * math.sin(math.radians(10))
    off = [a - b for a, b in zip(PLACE, NECK)]
    seen = [c, s, 0.0, 0.0, -s, c, 0.0, 0.0, 0.0, 0.0, 1.1, 0.0, *off, 1.0]
    return Node(
        "Deformer",
        number,
        text_id("", "SubDeformer"),
        "Cluster",
        children=[
            Node("Version", 100),
            Node("Indexes", array("i", [0, 1, 2])),
            Node("Weights", array("d", [1.0, 1.0, 1.0])),
            Node("Transform", array("d", seen)),
            Node("TransformLink", array("d", stands)),
        ],
    )


def document():
    settings = properties(
        ("UpAxis", "int", "Integer", "", 2),
        ("UpAxisSign", "int", "Integer", "", 1),
        ("FrontAxis", "int", "Integer", "", 1),
        ("FrontAxisSign", "int", "Integer", "", -1),
        ("CoordAxis", "int", "Integer", "", 0),
        ("CoordAxisSign", "int", "Integer", "", 1),
        ("UnitScaleFactor", "double", "Number", "", 1.0),
    )
    place = properties(
        ("Lcl Translation", "Lcl Translation", "", "A", *PLACE),
        ("Lcl Rotation", "Lcl Rotation", "", "A", 0.0, 0.0, 10.0),
        ("Lcl Scaling", "Lcl Scaling", "", "A", 1.1, 1.1, 1.1),
    )
    objects = [
        geometry(100, "sheet"),
        target(110, "jawOpen_half", 0.75),
        target(111, "jawOpen", 1.0),
        target(112, "jawOpen_start", 0.25),
        Node("Model", 200, text_id("face", "Model"), "Mesh", children=[Node("Version", 232), place]),
        Node("Material", 300, text_id("skin", "Material"), "", children=[Node("Version", 102)]),
        Node("Material", 301, text_id("paint", "Material"), "", children=[Node("Version", 102)]),
        Node("Deformer", 400, text_id("morph", "Deformer"), "BlendShape", children=[Node("Version", 100)]),
        channel(401, "morph.jawOpen", [75.0, 100.0, 25.0]),
        Node("Model", 210, text_id("mixamorig:Head", "Model"), "LimbNode", children=[Node("Version", 232)]),
        Node("Deformer", 500, text_id("", "Deformer"), "Skin", children=[Node("Version", 101)]),
        cluster(501),
    ]
    links = [(100, 200), (200, 0), (300, 200), (301, 200), (400, 100), (401, 400), (110, 401), (111, 401), (112, 401)]
    links += [(210, 0), (500, 100), (501, 500), (210, 501)]
    header = Node("FBXHeaderExtension", children=[Node("FBXHeaderVersion", 1003), Node("FBXVersion", 7400)])
    return [
        header,
        Node("GlobalSettings", children=[Node("Version", 1000), settings]),
        Node("Objects", children=objects),
        Node("Connections", children=[Node("C", "OO", a, b) for a, b in links]),
    ]


# -- Text ----------------------------------------------------------------------------------------------------------


def text_value(value):
    if isinstance(value, str):
        return '"%s"' % value
    if value[0:1] == ("id",) if isinstance(value, tuple) else False:
        return '"%s::%s"' % (value[2], value[1])
    return repr(value)


def write_text(node, indent, out):
    arrays = [v for v in node.values if isinstance(v, tuple) and v[0] in "di"]
    pad = "\t" * indent
    if arrays:
        numbers = arrays[0][1]
        out.append("%s%s: *%d {\n%s\ta: %s\n%s}\n" % (pad, node.name, len(numbers), pad, ",".join(map(repr, numbers)), pad))
        return
    out.append("%s%s: %s%s\n" % (pad, node.name, ", ".join(map(text_value, node.values)), " {" if node.children else ""))
    for child in node.children:
        write_text(child, indent + 1, out)
    if node.children:
        out.append(pad + "}\n")


# -- Binary --------------------------------------------------------------------------------------------------------


def binary_value(value, is_id=False):
    if isinstance(value, str):
        return b"S" + struct.pack("<I", len(value)) + value.encode()
    if isinstance(value, float):
        return b"D" + struct.pack("<d", value)
    if isinstance(value, int):
        return b"L" + struct.pack("<q", value) if is_id else b"I" + struct.pack("<i", value)
    if value[0] == "id":
        return binary_value(value[1] + "\0\1" + value[2])
    raw = struct.pack("<%d%s" % (len(value[1]), value[0]), *value[1])
    packed = zlib.compress(raw)
    return value[0].encode() + struct.pack("<III", len(value[1]), 1, len(packed)) + packed


def binary_node(node, at):
    values = b"".join(binary_value(v, node.name in ("C", "Geometry", "Model", "Material", "Deformer")) for v in node.values)
    body, start = b"", at + 13 + len(node.name) + len(values)
    for child in node.children:
        body += binary_node(child, start + len(body))
    if node.children:
        body += b"\0" * 13
    head = struct.pack("<IIIB", start + len(body), len(node.values), len(values), len(node.name))
    return head + node.name.encode() + values + body


def main():
    path, kind = sys.argv[1:]
    if kind == "text":
        out = ["; FBX 7.4.0 project file\n"]
        for node in document():
            write_text(node, 0, out)
        model = next(k for k, line in enumerate(out) if line.startswith("\tModel:"))
        out.insert(model, '\tVideo: 600, "Video::skin", "Clip" {\n\t\tContent: ,\n "AAAKAAAA",\n "AAEARgA="\n\t}\n')
        open(path, "w").write("".join(out))
        return
    data = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400)
    for node in document():
        data += binary_node(node, len(data))
    open(path, "wb").write(data + b"\0" * 13 + b"\0" * 200)


if __name__ == "__main__":
    main()
