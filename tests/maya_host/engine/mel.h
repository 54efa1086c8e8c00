#ifndef HOST_MEL_H
#define HOST_MEL_H

#include "engine/scene.h"

namespace host {

using Words = std::vector<std::string>;

// Statements of words; quotes are taken off, `;` and line ends divide.
std::vector<Words> melStatements(const std::string &text);
std::string melQuoted(const std::string &text);
// The arguments of setAttr that give a plug this value; empty when there is nothing to write.
std::string melValue(const Value &v);
bool melSetValue(Scene &scene, const Plug &p, const Words &words, size_t at, std::string *why);
// The value of a flag such as -n or -name, or "".
std::string melFlag(const Words &words, const std::string &brief, const std::string &full);

} // namespace host

#endif
