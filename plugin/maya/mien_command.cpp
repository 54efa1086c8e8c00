#include "mien_command.h"

#include <maya/MArgList.h>
#include <maya/MFnDependencyNode.h>
#include <maya/MGlobal.h>
#include <maya/MStringArray.h>
#include <maya/MSyntax.h>

namespace mien_maya {

static const char kHelp[] =
    "mien [MESH...]                 attach physics to the meshes; answers the node's name\n"
    "  -name (-n) NAME              of the new node\n"
    "  -head (-hd) TRANSFORM        whose motion moves the flesh; default: the mesh's own\n"
    "  -jawBone (-jw) TRANSFORM     that opens the mouth\n"
    "  -restMesh (-rm) MESH         the neutral; default: the mesh before its deformers\n"
    "  -collider (-cl) MESH         closed and rigid: the skin does not go through; may be "
    "repeated\n"
    "  -startFrame (-sf) FRAME      where the simulation starts\n"
    "mien -edit (-e) NODE           with -head, -jawBone, -restMesh, -collider, -connectTime "
    "(-ct)\n"
    "mien -query (-q) NODE          with -face (-fc: the node itself), -statistics (-st),\n"
    "                               -remarks (-rk), -versionText (-vt)\n"
    "mien -preset (-pr) NAME NODE   sets the flesh to one of the kinds that mien -listPresets "
    "(-lr) "
    "names\n"
    "mien -reset (-rs) NODE         forgets every simulated frame\n"
    "mien -fillMaps (-fm) NODE      writes what mien found into the maps, to paint on\n"
    "mien -paintShape (-ps) MAP:SHAPE NODE\n"
    "                               puts the material map of one shape under the brush (brushMap)\n"
    "mien -useMuscles (-um) NODE    muscles move the face instead of its shapes; each has a "
    "channel\n"
    "                               of its name, contraction[...], that can be keyed\n"
    "mien -fitMuscles (-fi) LIST NODE\n"
    "                               finds how they lie in this face from expressions of its "
    "shapes:\n"
    "                               \"jawOpen=0.5,mouthSmileLeft+mouthSmileRight\"; \"\" = five "
    "usual\n"
    "mien -bake (-bk) FILE NODE     .pc2 or .usda; with -startFrame and -endFrame (-ef). With "
    ".mcx\n"
    "                               Maya's own geometry cache, which the mesh plays then\n"
    "mien -listParameters (-lp), mien -listMaps (-lm)\n"
    "                               \"group attribute\" of every parameter; \"map:min:max\" of\n"
    "                               every painted map\n"
    "mien -tracker (-tk) BLENDSHAPE a mienTracker that drives its targets; with -name; \"\" = that "
    "of\n"
    "                               the mesh named or selected\n"
    "mien -exportFile (-ex) FILE NODE, mien -importFile (-im) FILE NODE\n"
    "                               parameters and maps as JSON";

MSyntax MienCommand::newSyntax() {
  MSyntax s;
  s.addFlag("-n", "-name", MSyntax::kString);
  s.addFlag("-hd", "-head", MSyntax::kString);
  s.addFlag("-jw", "-jawBone", MSyntax::kString);
  s.addFlag("-rm", "-restMesh", MSyntax::kString);
  s.addFlag("-cl", "-collider", MSyntax::kString);
  s.addFlag("-sf", "-startFrame", MSyntax::kDouble);
  s.addFlag("-ef", "-endFrame", MSyntax::kDouble);
  s.addFlag("-ct", "-connectTime");
  s.addFlag("-st", "-statistics");
  s.addFlag("-rk", "-remarks");
  s.addFlag("-fc", "-face");
  s.addFlag("-vt", "-versionText");
  s.addFlag("-rs", "-reset");
  s.addFlag("-fm", "-fillMaps");
  s.addFlag("-bk", "-bake", MSyntax::kString);
  s.addFlag("-ex", "-exportFile", MSyntax::kString);
  s.addFlag("-im", "-importFile", MSyntax::kString);
  s.addFlag("-tk", "-tracker", MSyntax::kString);
  s.addFlag("-ps", "-paintShape", MSyntax::kString);
  s.addFlag("-pr", "-preset", MSyntax::kString);
  s.addFlag("-lr", "-listPresets");
  s.addFlag("-um", "-useMuscles");
  s.addFlag("-fi", "-fitMuscles", MSyntax::kString);
  s.addFlag("-lp", "-listParameters");
  s.addFlag("-lm", "-listMaps");
  s.addFlag("-h", "-help");
  s.makeFlagMultiUse("-cl");
  s.setObjectType(MSyntax::kSelectionList, 0, 255);
  s.useSelectionAsDefault(true);
  s.enableQuery(true);
  s.enableEdit(true);
  return s;
}

MStatus MienCommand::fail(const std::string &text) const {
  displayError(MString("mien: ") + text.c_str());
  return MS::kFailure;
}

MStatus MienCommand::doIt(const MArgList &given) {
  MStatus status;
  MArgDatabase args(syntax(), given, &status);
  if (!status) return status;
  if (args.isFlagSet("-h")) return displayInfo(kHelp), setResult(MString(kHelp)), MS::kSuccess;
  if (args.isFlagSet("-lp") || args.isFlagSet("-lm")) return list(args.isFlagSet("-lm"));
  if (args.isFlagSet("-lr")) return listPresets();
  if (args.isQuery()) return query(args);
  if (args.isFlagSet("-rs")) return reset(args);
  if (args.isFlagSet("-ex")) return exportFile(args);
  changes_scene_ = true;
  if (args.isFlagSet("-bk"))
    status = bake(args);
  else if (args.isFlagSet("-im"))
    status = importFile(args);
  else if (args.isFlagSet("-pr"))
    status = preset(args);
  else if (args.isFlagSet("-fm"))
    status = fillMaps(args);
  else if (args.isFlagSet("-tk"))
    status = track(args);
  else if (args.isFlagSet("-ps"))
    status = paintShape(args);
  else if (args.isFlagSet("-um"))
    status = useMuscles(args);
  else if (args.isFlagSet("-fi"))
    status = fitMuscles(args);
  else
    status = args.isEdit() ? edit(args) : attach(args);
  // a command that fails leaves the scene as it was
  if (!status) undoIt();
  return status;
}

// What the Attribute Editor and the paint menu are made from: "group attribute", or "map:min:max".
MStatus MienCommand::list(bool maps) {
  MStringArray lines;
  if (maps)
    for (const PaintedMap &map : paintedMaps())
      lines.append(MString(map.name.c_str()) + ":" + map.row.min + ":" + map.row.soft_max);
  else
    for (const Parameter &p : parameters())
      lines.append(((p.own ? "node " : std::string(p.row.group) + " ") + p.name).c_str());
  setResult(lines);
  return MS::kSuccess;
}

MStatus MienCommand::apply(MDGModifier &modifier) {
  (&modifier == &make_ ? is_made_ : is_changed_) = true;
  return modifier.doIt();
}

MStatus MienCommand::redoIt() {
  MStatus status;
  if (is_made_) status = make_.doIt();
  return status && is_changed_ ? change_.doIt() : status;
}

MStatus MienCommand::undoIt() {
  MStatus status;
  if (is_changed_) status = change_.undoIt();
  return status && is_made_ ? make_.undoIt() : status;
}

MStatus findFace(const MArgDatabase &args, MObject *node, std::string *why) {
  MSelectionList list;
  MStatus status = args.getObjects(list);
  for (unsigned int i = 0; status && i < list.length(); i++) {
    MDagPath path;
    list.getDependNode(i, *node);
    if (faceOf(*node)) return MS::kSuccess;
    if (list.getDagPath(i, path) && toMesh(&path)) *node = faceBefore(path.node());
    if (faceOf(*node)) return MS::kSuccess;
  }
  *why = "name or select a mienFace node, or a mesh that has one";
  return MS::kFailure;
}

// MString + int is MString + double in Maya: "1e+06"
static MString number(const char *name, int value) {
  MString text(name);
  text += value;
  return text;
}

MStatus MienCommand::query(const MArgDatabase &args) {
  MObject node;
  std::string why;
  if (args.isFlagSet("-vt")) return setResult(MString(mien_build_info())), MS::kSuccess;
  if (!findFace(args, &node, &why)) return fail(why);
  if (args.isFlagSet("-fc")) return setResult(MFnDependencyNode(node).name()), MS::kSuccess;
  MStringArray lines;
  unsigned int index = firstGeometry(node);
  if (args.isFlagSet("-rk"))
    for (const std::string &r : faceOf(node)->remarks(index)) lines.append(r.c_str());
  if (args.isFlagSet("-st")) {
    Stats s = faceOf(node)->stats(index);
    lines.append(MString("solveTime=") + s.milliseconds);
    lines.append(number("iterations=", s.iterations));
    lines.append(MString("residual=") + s.residual);
    lines.append(MString("maxOffset=") + s.max_offset);
    lines.append(number("contacts=", s.contacts));
    lines.append(number("stuck=", s.stuck));
    lines.append(number("framesKept=", s.frames_kept));
    lines.append(number("stepped=", s.stepped));
  }
  setResult(lines);
  return MS::kSuccess;
}

MStatus MienCommand::reset(const MArgDatabase &args) {
  MObject node;
  std::string why;
  if (!findFace(args, &node, &why)) return fail(why);
  faceOf(node)->forget();
  return MGlobal::executeCommand(MString("dgdirty \"") + MFnDependencyNode(node).name() + "\"");
}

} // namespace mien_maya
