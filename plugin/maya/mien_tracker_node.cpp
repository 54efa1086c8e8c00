#include "mien_tracker_node.h"

#include <cmath>
#include <cstring>

#include <maya/MAngle.h>
#include <maya/MArrayDataBuilder.h>
#include <maya/MArrayDataHandle.h>
#include <maya/MFnEnumAttribute.h>
#include <maya/MFnNumericAttribute.h>
#include <maya/MFnTypedAttribute.h>
#include <maya/MFnUnitAttribute.h>
#include <maya/MGlobal.h>
#include <maya/MNodeCacheDisablingInfo.h>
#include <maya/MObjectArray.h>

namespace mien_maya {

MObject MienTrackerNode::aProtocol, MienTrackerNode::aAddress, MienTrackerNode::aPort,
    MienTrackerNode::aPhone, MienTrackerNode::aWeight, MienTrackerNode::aHeadRotate,
    MienTrackerNode::aHeadTranslate, MienTrackerNode::aReceiving, MienTrackerNode::aFrames,
    MienTrackerNode::aOutPort;

static MObject makeOutput(const char *name, const char *brief, MFnNumericData::Type type) {
  MFnNumericAttribute fn;
  MObject made = fn.create(name, brief, type, 0);
  fn.setWritable(false);
  fn.setStorable(false);
  return made;
}

static MObject makeVector(const char *name, const char *brief, bool isAngle) {
  static const char *const kLong[] = {"X", "Y", "Z"}, *const kShort[] = {"x", "y", "z"};
  MObject part[3];
  for (int k = 0; k < 3; k++) {
    MFnUnitAttribute unit;
    MString full = MString(name) + kLong[k], small = MString(brief) + kShort[k];
    part[k] = isAngle ? unit.create(full, small, MFnUnitAttribute::kAngle, 0.0)
                      : unit.create(full, small, MFnUnitAttribute::kDistance, 0.0);
  }
  MFnNumericAttribute fn;
  MObject made = fn.create(name, brief, part[0], part[1], part[2]);
  fn.setWritable(false);
  fn.setStorable(false);
  return made;
}

MStatus MienTrackerNode::initialize() {
  MFnEnumAttribute choice;
  MFnTypedAttribute typed;
  MFnNumericAttribute number;
  aProtocol = choice.create("protocol", "ptc", MIEN_PROTOCOL_LIVE_LINK);
  choice.addField("liveLinkFace", MIEN_PROTOCOL_LIVE_LINK);
  choice.addField("iFacialMocap", MIEN_PROTOCOL_IFACIALMOCAP);
  choice.addField("vmc", MIEN_PROTOCOL_VMC);
  aAddress = typed.create("address", "adr", MFnData::kString);
  aPort = number.create("port", "prt", MFnNumericData::kInt, 0);
  number.setMin(-1);
  number.setMax(65535);
  aPhone = typed.create("phone", "phn", MFnData::kString);
  aWeight = makeOutput("weight", "wgt", MFnNumericData::kDouble);
  MFnAttribute list(aWeight);
  list.setArray(true);
  list.setUsesArrayDataBuilder(true);
  aHeadRotate = makeVector("headRotate", "hrt", true);
  aHeadTranslate = makeVector("headTranslate", "htr", false);
  aReceiving = makeOutput("receiving", "rcv", MFnNumericData::kBoolean);
  aFrames = makeOutput("frames", "frm", MFnNumericData::kInt);
  aOutPort = makeOutput("outPort", "opr", MFnNumericData::kInt);
  for (const MObject &a : {aProtocol, aAddress, aPort, aPhone})
    CHECK_MSTATUS_AND_RETURN_IT(addAttribute(a));
  for (const MObject &a : {aWeight, aHeadRotate, aHeadTranslate, aReceiving, aFrames, aOutPort}) {
    CHECK_MSTATUS_AND_RETURN_IT(addAttribute(a));
    for (const MObject &from : {live, frameRate, aProtocol, aAddress, aPort, aPhone})
      CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(from, a));
  }
  // a device refreshes one attribute: that a frame came changes all others
  for (const MObject &a : {aWeight, aHeadRotate, aHeadTranslate, aReceiving, aOutPort})
    CHECK_MSTATUS_AND_RETURN_IT(attributeAffects(aFrames, a));
  return MS::kSuccess;
}

void MienTrackerNode::postConstructor() {
  MObjectArray refreshed;
  refreshed.append(aFrames);
  setRefreshOutputAttributes(refreshed);
  createMemoryPools(16, 1, sizeof(TrackerFrame));
}

void MienTrackerNode::readWish(MDataBlock &block) {
  Wish wish;
  wish.protocol = static_cast<mien_protocol>(block.inputValue(aProtocol).asShort());
  wish.address = block.inputValue(aAddress).asString().asChar();
  wish.phone = block.inputValue(aPhone).asString().asChar();
  wish.port = block.inputValue(aPort).asInt();
  wish.isRead = true;
  std::lock_guard<std::mutex> hold(lock_);
  wish_ = wish;
}

MienTrackerNode::Wish MienTrackerNode::wish() {
  std::lock_guard<std::mutex> hold(lock_);
  return wish_;
}

// What comes from outside is no matter of the frame: a cached one would stand still.
void MienTrackerNode::getCacheSetup(const MEvaluationNode &node, MNodeCacheDisablingInfo &disabling,
                                    MNodeCacheSetupInfo &setup, MObjectArray &monitored) const {
  MPxThreadedDeviceNode::getCacheSetup(node, disabling, setup, monitored);
  monitored.append(live);
  if (!MPlug(thisMObject(), live).asBool()) return;
  disabling.setCacheDisabled(true);
  disabling.setReason("a mienTracker is live");
}

// In the device's own thread. Plugs belong to Maya's threads: the thread says that it is there,
// which makes Maya evaluate the node, and what is set is read then. A changed port is opened at
// once.
void MienTrackerNode::threadHandler() {
  TrackerSource source;
  Wish now;
  setDone(false);
  TrackerFrame frame = TrackerFrame();
  bool isNews = false; // until it is handed over: while Maya is busy all buffers may be full
  while (!isDone()) {
    MCharBuffer buffer;
    beginThreadLoop();
    Wish wanted = wish();
    if (wanted.isRead && !(wanted == now)) {
      source.open(wanted.protocol, wanted.address, wanted.port, wanted.phone);
      now = wanted;
    }
    // short enough that switching the device off is not felt
    isNews = source.next(0.02, &frame) || isNews || !wanted.isRead;
    if (isNews && isLive() && acquireDataStorage(buffer)) {
      std::memcpy(buffer.ptr(), &frame, sizeof frame);
      isNews = !pushThreadData(buffer);
    }
    endThreadLoop();
  }
  setDone(true);
}

// Angles as Maya's default order, xyz, wants them.
static void toAngles(const double q[4], double out[3]) {
  double x = q[0], y = q[1], z = q[2], w = q[3];
  double up = 2 * (w * y - x * z);
  out[1] = std::asin(std::fmax(-1, std::fmin(1, up)));
  out[0] = std::atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
  out[2] = std::atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
}

void MienTrackerNode::write(MDataBlock &block) const {
  MArrayDataHandle weights = block.outputArrayValue(aWeight);
  MArrayDataBuilder builder = weights.builder();
  for (unsigned int k = 0; k < TrackerFrame::kMost; k++)
    builder.addElement(k).set(static_cast<double>(last_.weights[k]));
  weights.set(builder);
  weights.setAllClean();
  double turn[3];
  toAngles(last_.rotation, turn);
  block.outputValue(aHeadRotate).set(turn[0], turn[1], turn[2]);
  block.outputValue(aHeadTranslate)
      .set(100 * last_.translation[0], 100 * last_.translation[1], 100 * last_.translation[2]);
  block.outputValue(aReceiving).set(last_.isReceiving != 0);
  block.outputValue(aFrames).set(last_.frames);
  block.outputValue(aOutPort).set(last_.port);
}

MStatus MienTrackerNode::compute(const MPlug &plug, MDataBlock &block) {
  MObject whole = plug.isElement() ? plug.array().attribute() : plug.attribute();
  if (plug.isChild()) whole = plug.parent().attribute();
  bool isOurs = false;
  for (const MObject &a : {aWeight, aHeadRotate, aHeadTranslate, aReceiving, aFrames, aOutPort})
    isOurs = isOurs || whole == a;
  if (!isOurs) return MS::kUnknownParameter;
  readWish(block);
  // the oldest comes first: only the newest counts
  for (MCharBuffer buffer; popThreadData(buffer);) {
    std::memcpy(&last_, buffer.ptr(), sizeof last_);
    releaseDataStorage(buffer);
    if (last_.why[0] && said_ != last_.why)
      MGlobal::displayWarning(MString("mien: ") + name() + " receives nothing: " + last_.why);
    said_ = last_.why;
  }
  write(block);
  return block.setClean(plug);
}

} // namespace mien_maya
