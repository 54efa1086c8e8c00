// Commands: syntax, arguments, results, modifiers.
#include "api/bridge.h"

#include <cstdlib>

#include <maya/MArgDatabase.h>
#include <maya/MArgList.h>
#include <maya/MDagModifier.h>
#include <maya/MDoubleArray.h>
#include <maya/MPxCommand.h>
#include <maya/MSelectionList.h>
#include <maya/MStringArray.h>
#include <maya/MSyntax.h>

using host::Plug;

MAYA_HOST_OPEN

unsigned int MArgList::length(MStatus *) const {
  return static_cast<unsigned>(words.size());
}
MString MArgList::asString(unsigned int i, MStatus *status) const {
  answer(status, i < words.size() ? MStatus::kSuccess : MStatus::kFailure);
  return i < words.size() ? MString(words[i].c_str()) : MString();
}
int MArgList::asInt(unsigned int i, MStatus *status) const {
  return asString(i, status).asInt();
}
double MArgList::asDouble(unsigned int i, MStatus *status) const {
  return asString(i, status).asDouble();
}

// Maya refuses a flag whose short name has more than three letters or less than the long one has.
MStatus MSyntax::addFlag(const char *brief, const char *full, MArgType a1, MArgType a2, MArgType a3,
                         MArgType a4, MArgType a5, MArgType a6) {
  Flag f;
  f.brief = brief[0] == '-' ? brief + 1 : brief;
  f.full = full[0] == '-' ? full + 1 : full;
  if (f.brief.size() > 3 || f.full.size() <= 3 || find(f.brief) || find(f.full))
    return MStatus::kInvalidParameter;
  for (MArgType a : {a1, a2, a3, a4, a5, a6})
    if (a != kNoArg) f.args.push_back(a);
  flags.push_back(f);
  return MStatus();
}
const MSyntax::Flag *MSyntax::find(const std::string &word) const {
  std::string name = word[0] == '-' ? word.substr(1) : word;
  for (const Flag &f : flags)
    if (f.brief == name || f.full == name) return &f;
  return nullptr;
}
MStatus MSyntax::makeFlagMultiUse(const char *flag) {
  Flag *f = const_cast<Flag *>(find(flag));
  if (!f) return MStatus::kInvalidParameter;
  f->multi = true;
  return MStatus();
}
MStatus MSyntax::addArg(MArgType type) {
  return args.push_back(type), MStatus();
}
MStatus MSyntax::setObjectType(MObjectFormat format, unsigned int min) {
  return setObjectType(format, min, 0x7fffffff);
}
MStatus MSyntax::setObjectType(MObjectFormat format, unsigned int min, unsigned int max) {
  objects = format;
  least = min;
  most = max;
  return MStatus();
}

// What a line was read into. Copies share it: nothing changes it afterwards.
struct MArgParser::Parsed {
  MSyntax syntax;
  std::map<std::string, std::vector<MArgList>> uses;
  std::vector<std::string> objects;
  bool query = false, edit = false;
  bool parse(const MArgList &args);
  bool parseFlag(const MArgList &args, size_t &at);
  const MArgList *use(const char *flag, unsigned int which) const;
};

bool MArgParser::Parsed::parseFlag(const MArgList &args, size_t &at) {
  std::string word = args.words[at];
  if (syntax.query && (word == "-q" || word == "-query")) return query = true;
  if (syntax.edit && (word == "-e" || word == "-edit")) return edit = true;
  const MSyntax::Flag *flag = syntax.find(word);
  if (!flag) {
    theScene().say('e', "Invalid flag '" + word + "'");
    return false;
  }
  MArgList values;
  for (size_t k = 0; k < flag->args.size() && !query; k++) {
    if (++at >= args.words.size()) {
      theScene().say('e', "Flag '" + word + "' must be passed an argument");
      return false;
    }
    values.words.push_back(args.words[at]);
  }
  auto &before = uses[flag->brief];
  if (!before.empty() && !flag->multi) {
    theScene().say('e', "Flag '" + word + "' is used more often than allowed");
    return false;
  }
  before.push_back(values);
  return true;
}

bool MArgParser::Parsed::parse(const MArgList &args) {
  for (size_t at = 0; at < args.words.size(); at++) {
    const char *word = args.words[at].c_str();
    bool isFlag = word[0] == '-' &&
                  ((word[1] >= 'a' && word[1] <= 'z') || (word[1] >= 'A' && word[1] <= 'Z'));
    if (!isFlag)
      objects.push_back(word);
    else if (!parseFlag(args, at))
      return false;
  }
  if (objects.empty() && syntax.useSelection) objects = theScene().selection;
  bool wanted = syntax.objects != MSyntax::kNone;
  if ((!wanted && !objects.empty()) || objects.size() < (wanted ? syntax.least : 0) ||
      objects.size() > syntax.most) {
    theScene().say('e', "Wrong number of objects");
    return false;
  }
  return true;
}

const MArgList *MArgParser::Parsed::use(const char *flag, unsigned int which) const {
  const MSyntax::Flag *f = syntax.find(flag);
  if (!f) theScene().say('e', std::string("the syntax has no flag '") + flag + "'");
  auto found = f ? uses.find(f->brief) : uses.end();
  return found == uses.end() || which >= found->second.size() ? nullptr : &found->second[which];
}

MArgParser::MArgParser() : parsed_(new Parsed) {}
MArgParser::MArgParser(const MArgParser &o) = default;
MArgParser::~MArgParser() = default;
MArgDatabase::MArgDatabase() = default;
MArgDatabase::MArgDatabase(const MSyntax &syntax, const MArgList &args, MStatus *status) {
  parsed_->syntax = syntax;
  bool ok = parsed_->parse(args);
  answer(status, ok ? MStatus::kSuccess : MStatus::kInvalidParameter);
}
bool MArgParser::isQuery(MStatus *status) const {
  answer(status, MStatus::kSuccess);
  return parsed_->query;
}
bool MArgParser::isEdit(MStatus *status) const {
  answer(status, MStatus::kSuccess);
  return parsed_->edit;
}
bool MArgParser::isFlagSet(const char *flag, MStatus *status) const {
  answer(status, MStatus::kSuccess);
  return parsed_->use(flag, 0) != nullptr;
}
unsigned int MArgParser::numberOfFlagUses(const char *flag) const {
  unsigned int n = 0;
  while (parsed_->use(flag, n)) n++;
  return n;
}
MString MArgParser::flagArgumentString(const char *flag, unsigned int index,
                                       MStatus *status) const {
  const MArgList *u = parsed_->use(flag, 0);
  answer(status, u && index < u->length() ? MStatus::kSuccess : MStatus::kFailure);
  return u ? u->asString(index) : MString();
}
int MArgParser::flagArgumentInt(const char *flag, unsigned int index, MStatus *status) const {
  return flagArgumentString(flag, index, status).asInt();
}
double MArgParser::flagArgumentDouble(const char *flag, unsigned int index, MStatus *status) const {
  return flagArgumentString(flag, index, status).asDouble();
}
bool MArgParser::flagArgumentBool(const char *flag, unsigned int index, MStatus *status) const {
  MString word = flagArgumentString(flag, index, status);
  return word == "1" || word == "true" || word == "on" || word == "yes";
}
MStatus MArgParser::getFlagArgumentList(const char *flag, unsigned int which, MArgList &out) const {
  const MArgList *u = parsed_->use(flag, which);
  if (!u) return MStatus::kFailure;
  out = *u;
  return MStatus();
}
MStatus MArgDatabase::getObjects(MStringArray &list) const {
  list.clear();
  for (const std::string &word : parsed_->objects) list.append(word.c_str());
  return MStatus();
}
MStatus MArgDatabase::getObjects(MSelectionList &list) const {
  for (const std::string &word : parsed_->objects)
    if (!list.add(word.c_str())) {
      theScene().say('e', "No object matches name: " + word);
      return MStatus::kFailure;
    }
  return MStatus();
}

static std::string lastResult; // of the command that runs, for mayaHostOpen's caller
std::string &commandResult() {
  return lastResult;
}

MPxCommand::MPxCommand() = default;
MPxCommand::~MPxCommand() = default;
MStatus MPxCommand::doIt(const MArgList &) {
  return MStatus::kFailure;
}
MStatus MPxCommand::undoIt() {
  return MStatus::kFailure;
}
MStatus MPxCommand::redoIt() {
  return MStatus::kFailure;
}
bool MPxCommand::isUndoable() const {
  return false;
}
bool MPxCommand::hasSyntax() const {
  return false;
}
MSyntax MPxCommand::syntax() const {
  return hostSyntax ? *hostSyntax : MSyntax();
}
void MPxCommand::clearResult() {
  lastResult.clear();
}
void MPxCommand::setResult(const MString &value) {
  lastResult = text(value);
}
void MPxCommand::setResult(bool value) {
  setResult(static_cast<int>(value));
}
void MPxCommand::setResult(int value) {
  lastResult = std::to_string(value);
}
void MPxCommand::setResult(double value) {
  clearResult();
  appendToResult(value);
}
void MPxCommand::setResult(const MStringArray &value) {
  clearResult();
  for (unsigned int i = 0; i < value.length(); i++) appendToResult(value[i]);
}
void MPxCommand::setResult(const MDoubleArray &value) {
  clearResult();
  for (unsigned int i = 0; i < value.length(); i++) appendToResult(value[i]);
}
void MPxCommand::setResult(const MIntArray &value) {
  clearResult();
  for (unsigned int i = 0; i < value.length(); i++) appendToResult(value[i]);
}
void MPxCommand::appendToResult(const MString &value) {
  lastResult += (lastResult.empty() ? "" : " ") + text(value);
}
void MPxCommand::appendToResult(double value) {
  appendToResult(MString() + value);
}
void MPxCommand::displayInfo(const MString &s) {
  theScene().say('i', text(s));
}
void MPxCommand::displayWarning(const MString &s, bool) {
  theScene().say('w', text(s));
}
void MPxCommand::displayError(const MString &s, bool) {
  theScene().say('e', text(s));
}

MDGModifier::MDGModifier() : done_(new host::EditList) {}
MDGModifier::~MDGModifier() = default;
MDagModifier::~MDagModifier() = default;

MStatus MDGModifier::add(std::function<bool()> step) {
  waiting_.push_back(std::move(step));
  return MStatus();
}
// a node exists at once, as in Maya; doIt makes the rest happen
MObject MDGModifier::createNode(const MString &type, MStatus *status) {
  host::EditList *outer = theScene().record(done_.get());
  host::Node *made = theScene().create(text(type), "");
  theScene().record(outer);
  applied_ = applied_ || made;
  answer(status, made ? MStatus::kSuccess : MStatus::kFailure);
  return made ? MObject(made) : MObject();
}
MObject MDGModifier::createNode(const MTypeId &id, MStatus *status) {
  host::NodeType *t = theScene().typeOf(id.id());
  return createNode(MString(t ? t->name.c_str() : "unknown"), status);
}
MStatus MDGModifier::deleteNode(const MObject &node) {
  host::Node *n = node.node;
  return add([n] { return n && theScene().remove(n); });
}
MStatus MDGModifier::renameNode(const MObject &node, const MString &name) {
  host::Node *n = node.node;
  std::string to = text(name);
  return add([=] { return theScene().rename(n, to), true; });
}
MStatus MDGModifier::connect(const MPlug &source, const MPlug &dest) {
  if (source.isNull() || dest.isNull()) return MStatus::kInvalidParameter;
  Plug a = source.hostPlug(), b = dest.hostPlug();
  return add([=] { return theScene().connectPlugs(a, b); });
}
MStatus MDGModifier::disconnect(const MPlug &source, const MPlug &dest) {
  if (source.isNull() || dest.isNull()) return MStatus::kInvalidParameter;
  Plug b = dest.hostPlug();
  return add([=] { return theScene().disconnectPlug(b), true; });
}
MStatus MDGModifier::number(const MPlug &plug, double value) {
  if (plug.isNull()) return MStatus::kInvalidParameter;
  Plug p = plug.hostPlug();
  return add([=] { return theScene().set(p.name(), value); });
}
MStatus MDGModifier::newPlugValueFloat(const MPlug &p, float v) {
  return number(p, static_cast<double>(v));
}
MStatus MDGModifier::newPlugValueDouble(const MPlug &p, double v) {
  return number(p, v);
}
MStatus MDGModifier::newPlugValueInt(const MPlug &p, int v) {
  return number(p, v);
}
MStatus MDGModifier::newPlugValueBool(const MPlug &p, bool v) {
  return number(p, v);
}
MStatus MDGModifier::newPlugValueMTime(const MPlug &p, const MTime &v) {
  return number(p, v.as(MTime::uiUnit()));
}
MStatus MDGModifier::newPlugValueString(const MPlug &plug, const MString &value) {
  Plug p = plug.hostPlug();
  std::string to = text(value);
  return add([=] { return theScene().setText(p.name(), to); });
}
MStatus MDGModifier::newPlugValue(const MPlug &plug, MObject &value) {
  if (plug.isNull() || !value.data) return MStatus::kInvalidParameter;
  Plug p = plug.hostPlug();
  MObject kept = value;
  return add([=] { return setObject(p, kept); });
}
MStatus MDGModifier::removeMultiInstance(const MPlug &plug, bool) {
  Plug p = plug.hostPlug();
  return add([=] { return theScene().removeElement(p.name()); });
}
MStatus MDGModifier::commandToExecute(const MString &command) {
  std::string line = text(command);
  return add([=] {
    theScene().recorded.push_back(line);
    return theScene().run(line);
  });
}

// What was undone is done again with the very same nodes; new steps follow.
MStatus MDGModifier::doIt() {
  if (!applied_) done_->redo();
  applied_ = true;
  host::EditList *outer = theScene().record(done_.get());
  bool ok = true;
  for (auto &step : waiting_) ok = step() && ok;
  waiting_.clear();
  theScene().record(outer);
  return ok ? MStatus::kSuccess : MStatus::kFailure;
}
// Only what was done can be undone; Maya's documents promise nothing else.
MStatus MDGModifier::undoIt() {
  if (!applied_) {
    theScene().say('e', "a modifier was undone that was never done");
    return MStatus::kFailure;
  }
  done_->undo();
  applied_ = false;
  return MStatus();
}

MAYA_HOST_CLOSE
