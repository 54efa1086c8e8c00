"""Parses every MEL file and checks what it names against the plug-in.

usage: check_mel.py SOURCE LIST_ATTRIBUTES PLUGIN      or      check_mel.py --self-test

A file must parse; procedures of ours that are called must exist, once; flags of the command `mien`
must be in its syntax; attributes in the Attribute Editor template must be on the node, every
parameter must be shown, and the maps in the paint menu must be the node's maps.
"""
import pathlib
import re
import subprocess
import sys

TOKEN = re.compile(r"""
    (?P<space>\s+ | //[^\n]* | /\*.*?\*/)
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<number>(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)(?![\w.]))
  | (?P<var>\$[A-Za-z_]\w*)
  | (?P<flag>-[A-Za-z]\w*(?=[\s;`)]))
  | (?P<word>\|?[A-Za-z_][\w|:.]*)
  | (?P<op><<|>>|\+\+|--|&&|\|\||==|!=|<=|>=|\+=|-=|\*=|/=|\.\.|[-+*/%^!<>=?:;,(){}\[\]`.])
""", re.X | re.S)
TYPES = {"int", "float", "string", "vector", "matrix"}


class MelError(Exception):
    pass


class Token:
    def __init__(self, kind, text, line, glued):
        self.kind, self.text, self.line, self.glued = kind, text, line, glued


def tokens_of(text):
    out, at, glued = [], 0, False
    while at < len(text):
        match = TOKEN.match(text, at)
        line = text.count("\n", 0, at) + 1
        if not match:
            raise MelError(f"line {line}: cannot read {text[at:at + 12]!r}")
        at = match.end()
        if match.lastgroup == "space":
            glued = False
        else:
            out.append(Token(match.lastgroup, match.group(), line, glued))
            glued = True
    out.append(Token("end", "", text.count("\n") + 1, False))
    return out


class Parser:
    """Recursive descent; collects procedures, calls and commands with their arguments."""

    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0
        self.procs, self.calls, self.commands = [], [], []
        self.scopes = [set()]

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def is_(self, text, ahead=0):
        token = self.peek(ahead)
        return token.text == text and token.kind != "string"

    def take(self, text):
        if self.is_(text):
            return self.next()
        return None

    def want(self, text):
        token = self.next()
        if token.text != text or token.kind == "string":
            raise MelError(f"line {token.line}: expected '{text}', found '{token.text}'")
        return token

    def fail(self, token, text):
        raise MelError(f"line {token.line}: {text} '{token.text}'")

    # -- statements
    def file(self):
        while self.peek().kind != "end":
            self.statement()

    def block(self):
        self.want("{")
        while not self.is_("}"):
            if self.peek().kind == "end":
                self.fail(self.peek(), "a block is not closed at")
            self.statement()
        self.want("}")

    def statement(self):
        token = self.peek()
        if self.is_("{"):
            self.block()
        elif self.take(";"):
            pass
        elif token.kind == "word" and token.text in KEYWORDS:
            KEYWORDS[token.text](self)
        elif token.kind == "word" and token.text in TYPES:
            self.next()
            self.declaration()
        elif token.kind == "word" and not (self.is_("(", 1) and self.peek(1).glued):
            self.command({";"})
            self.want(";")
        else:
            self.expression()
            self.want(";")

    def global_(self):
        self.next()
        if self.is_("proc"):
            self.proc()
        elif self.peek().text in TYPES:
            self.next()
            self.declaration()
        else:
            self.fail(self.peek(), "after global came")

    def proc(self):
        self.want("proc")
        if self.peek().text in TYPES:
            self.next()
            if self.take("["):
                self.want("]")
        name = self.next()
        if name.kind != "word":
            self.fail(name, "not a name of a procedure:")
        self.procs.append(name.text)
        self.scopes.append(set())
        self.want("(")
        while not self.take(")"):
            if self.next().text not in TYPES:
                self.fail(self.peek(-1), "not a type:")
            self.scopes[-1].add(self.variable())
            if self.take("["):
                self.want("]")
            if not self.is_(")"):
                self.want(",")
        self.block()
        self.scopes.pop()

    def variable(self):
        token = self.next()
        if token.kind != "var":
            self.fail(token, "not a variable:")
        return token.text

    def declaration(self):
        while True:
            self.scopes[-1].add(self.variable())
            while self.take("["):
                if not self.is_("]"):
                    self.expression()
                self.want("]")
            if self.take("="):
                self.expression()
            if not self.take(","):
                break
        self.want(";")

    def if_(self):
        self.next()
        self.want("(")
        self.expression()
        self.want(")")
        self.statement()
        if self.take("else"):
            self.statement()

    def while_(self):
        self.next()
        self.want("(")
        self.expression()
        self.want(")")
        self.statement()

    def for_(self):
        self.next()
        self.want("(")
        if self.peek().kind == "var" and self.peek(1).text == "in":
            self.scopes[-1].add(self.variable())
            self.want("in")
            self.expression()
        else:
            for end in (";", ";", ")"):
                while not self.is_(end):
                    if self.peek().text in TYPES:
                        self.next()
                        self.scopes[-1].add(self.peek().text)
                    self.expression()
                    if not self.is_(end):
                        self.want(",")
                if end == ";":
                    self.want(";")
        self.want(")")
        self.statement()

    def return_(self):
        self.next()
        if not self.is_(";"):
            self.expression()
        self.want(";")

    def single(self):
        self.next()
        self.want(";")

    # -- commands: a name and arguments up to the end of the statement or the back quote
    def command(self, ends):
        name = self.next()
        if name.kind != "word":
            self.fail(name, "not a command:")
        args = []
        while not (self.peek().kind == "op" and self.peek().text in ends):
            token = self.peek()
            if token.kind == "end":
                self.fail(name, "no end of the command")
            if token.kind in ("string", "number", "flag", "word"):
                args.append(self.next())
            elif token.text == "..":
                args.append(self.next())
            elif token.text == "-" and self.peek(1).kind == "number":
                self.next()
                args.append(self.next())
            elif token.kind == "var" or token.text in ("(", "`", "{"):
                self.postfix()
                args.append(Token("value", "", token.line, False))
            else:
                self.fail(token, f"unexpected in the arguments of {name.text}:")
        self.calls.append((name.text, name.line))
        self.commands.append((name.text, args, name.line))

    # -- expressions
    LEVELS = [["||"], ["&&"], ["==", "!="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/", "%", "^"]]

    def expression(self):
        self.binary(0)
        if self.take("?"):
            self.expression()
            self.want(":")
            self.expression()
        elif self.peek().text in ("=", "+=", "-=", "*=", "/=") and self.peek().kind == "op":
            self.next()
            self.expression()

    def binary(self, level):
        if level == len(self.LEVELS):
            return self.unary()
        self.binary(level + 1)
        while self.peek().kind in ("op", "flag") and self.peek().text in self.LEVELS[level]:
            self.next()
            self.binary(level + 1)
        return None

    def unary(self):
        if self.peek().kind == "op" and self.peek().text in ("-", "!", "+", "++", "--"):
            self.next()
            return self.unary()
        return self.postfix()

    def postfix(self):
        token = self.next()
        if token.kind == "var":
            if not any(token.text in scope for scope in self.scopes):
                self.fail(token, "a variable that was not declared:")
            while self.is_("[") or self.is_("++") or self.is_("--") or (self.is_(".") and self.peek().glued):
                mark = self.next().text
                if mark == "[":
                    self.expression()
                    self.want("]")
                elif mark == ".":
                    self.next()
        elif token.text == "(":
            if self.peek().text in TYPES and self.is_(")", 1):
                self.next()
                self.want(")")
                self.unary()
            else:
                self.expression()
                self.want(")")
        elif token.text == "`":
            self.command({"`"})
            self.want("`")
        elif token.text in ("{", "<<"):
            close = {"{": "}", "<<": ">>"}[token.text]
            while not self.take(close):
                self.expression()
                if not self.is_(close):
                    self.want(",")
        elif token.kind == "word" and self.is_("("):
            self.calls.append((token.text, token.line))
            self.next()
            while not self.take(")"):
                self.expression()
                if not self.is_(")"):
                    self.want(",")
        elif token.kind == "word" and token.text in ("true", "false", "on", "off", "yes", "no"):
            pass
        elif token.kind not in ("string", "number"):
            self.fail(token, "unexpected")


KEYWORDS = {"global": Parser.global_, "proc": Parser.proc, "if": Parser.if_, "while": Parser.while_,
            "for": Parser.for_, "return": Parser.return_, "break": Parser.single,
            "continue": Parser.single}


def parse(text):
    parser = Parser(text)
    parser.file()
    return parser


def unquoted(token):
    return token.text[1:-1].replace('\\"', '"')


def commands_in_strings(parser):
    """-command "mienAttach 0": MEL inside of strings is MEL, too."""
    for _, args, line in list(parser.commands):
        for flag, value in zip(args, args[1:]):
            if flag.text.lower().endswith("command") and flag.kind == "flag" and value.kind == "string":
                inner = parse(unquoted(value) + ";")
                parser.calls += [(name, line) for name, _ in inner.calls]
                parser.commands += [(name, a, line) for name, a, _ in inner.commands]


def check_traps(files, parsers):
    """What parses and means something else in Maya than it seems to."""
    problems = []
    whole = "\n".join(files.values())
    for name, parser in parsers.items():
        for command, args, line in parser.commands:
            words = [a.text for a in args if a.kind in ("flag", "word")]
            # with an empty list `ls -type X` answers with everything of that type in the scene
            if command == "ls" and "-type" in words and any(a.kind == "value" for a in args):
                problems.append(f"{name}:{line}: ls -type with a list that may be empty")
            if command == "editorTemplate" and "-suppress" in words and any(a.text == '"input"' for a in args):
                problems.append(f"{name}:{line}: component tags are hidden with `input`")
    if "artSetToolAndSelectAttr" in whole:
        if not re.search(r'source "artAttrCreateMenuItems.mel";\s*artSetToolAndSelectAttr', whole):
            problems.append("artSetToolAndSelectAttr before artAttrCreateMenuItems.mel is sourced")
        if not re.search(r"artAttrCtx -edit -minvalue .* -maxvalue", whole):
            problems.append("the brush keeps its range from 0 to 1 for every map")
    return problems


def check(files, attributes, flags, parameters, maps):
    """files: name -> text. Returns the problems.

    Parameters and maps that the command itself lists (mien -listParameters, -listMaps) are all
    there; that the list is right is for tests/maya to show.
    """
    problems, parsers, listed = [], {}, set()
    for name, text in files.items():
        try:
            parsers[name] = parse(text)
            commands_in_strings(parsers[name])
        except MelError as error:
            problems.append(f"{name}: {error}")
    known = [proc for parser in parsers.values() for proc in parser.procs]
    problems += [f"procedure {proc} is there twice" for proc in set(known) if known.count(proc) > 1]
    shown, painted = set(), set()
    for name, parser in parsers.items():
        for call, line in parser.calls:
            ours = re.match(r"(AE)?mien", call) and call != "mien"
            if ours and call not in known and f"{call}" not in files:
                problems.append(f"{name}:{line}: there is no procedure {call}")
        for command, args, line in parser.commands:
            if command == "mien":
                listed |= {a.text for a in args if a.kind == "flag" and a.text.startswith("-list")}
                problems += [f"{name}:{line}: mien has no flag {a.text}" for a in args
                             if a.kind == "flag" and a.text[1:] not in flags]
            if command == "source":
                problems += [f"{name}:{line}: there is no file {unquoted(a)}" for a in args
                             if a.kind == "string" and unquoted(a) not in files and unquoted(a).startswith("mien")]
            if command == "editorTemplate":
                for flag, value in zip(args, args[1:]):
                    if flag.text in ("-addControl", "-suppress") and value.kind == "string":
                        shown.add(unquoted(value))
                        if unquoted(value) not in attributes:
                            problems.append(f"{name}:{line}: mienFace has no attribute {value.text}")
    for text in files.values():
        painted |= set(re.findall(r'"(\w+Map)"', text))
    problems += [f"parameter {p} is not in the Attribute Editor" for p in parameters
                 if p not in shown and "-listParameters" not in listed]
    problems += check_traps(files, parsers)
    if painted != set(maps) and "-listMaps" not in listed:
        problems.append(f"the paint menu has {sorted(painted)}, the node {sorted(maps)}")
    return problems


def self_test():
    """Each mistake must be found, and what is right must pass."""
    good = 'global proc mienX(string $a) { if (size($a) > 0 && ($a != "" || 1)) print ($a + "\\n"); ' \
           'string $l[] = `ls -selection`; for ($o in $l) mien -reset $o; }' \
           ' global proc AEmienT(string $n) { editorTemplate -addControl "stiffness"; string $m = "aMap"; }'
    args = ({"stiffness"}, {"reset"}, ["stiffness"], ["aMap"])
    assert not check({"a.mel": good}, *args), check({"a.mel": good}, *args)
    wrong = [good.replace("}", "", 1), good.replace("-reset", "-rest"), good.replace("|| 1))", "|| 1)"),
             good.replace('"stiffness"', '"stifness"'), good.replace("mien -reset $o", "mienNone $o"),
             good.replace("$o in", "o in"), good.replace('"\\n"', '"\\n'), good + good,
             good.replace("mien -reset $o;", "mien -reset $o"), good.replace("aMap", "bMap"),
             good.replace("print ($a", "print ($b"), good.replace("`ls", "ls"),
             good.replace("||", "|"), good.replace("`ls -selection`", '`ls -type "mienFace" $a`'),
             good + 'artSetToolAndSelectAttr "artAttrCtx" "x";',
             good.replace('-addControl "stiffness"', '-addControl "stiffness"; editorTemplate -suppress "input"'), good.replace("print (", 'menuItem -command "mienGone 1" (')]
    for number, text in enumerate(wrong):
        assert text != good and check({"a.mel": text}, *args), f"mistake {number} was not found"
    print(f"{len(wrong)} mistakes found")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    source, lister, plugin = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    files = {p.name: p.read_text() for p in sorted((source / "mel").glob("*.mel"))}
    attributes = set()
    for node in ("mienFace", "mienTracker"):
        listed = subprocess.run([lister, plugin, node], capture_output=True, text=True, check=True)
        attributes |= set(listed.stdout.split())
    command = (source / "plugin/maya/mien_command.cpp").read_text()
    flags = set(re.findall(r'addFlag\("-(\w+)"', command)) | set(re.findall(r'addFlag\("-\w+", "-(\w+)"', command))
    flags |= {"e", "edit", "q", "query"}
    table = (source / "core/src/base/params_table.c").read_text()
    camel = lambda name: re.sub("_(.)", lambda m: m.group(1).upper(), name)
    rows = re.findall(r'^  (?:NUMBER|WHOLE|SWITCH|CHOICE|VECTOR)\("(\w+)"', table, re.M)
    parameters = [camel(row) for row in rows if row not in ("dt", "start_frame")]
    maps = [camel(row) + "Map" for row in re.findall(r'^  MAP\("(\w+)"', table, re.M) if row != "region"]
    problems = check(files, attributes, flags, parameters, maps)
    problems += [f"the node has no attribute {p}" for p in parameters + maps if p not in attributes]
    if len(files) < 4 or len(attributes) < 40 or len(flags) < 20 or len(parameters) < 20 or len(maps) < 5:
        problems.append(f"found only {len(files)} files, {len(attributes)} names, {len(flags)} flags, "
                        f"{len(parameters)} parameters, {len(maps)} maps")
    print(f"{len(files)} files, {len(attributes)} attribute names, {len(parameters)} parameters")
    for problem in problems:
        print(problem)
    return sys.exit(1 if problems else 0)


main()
