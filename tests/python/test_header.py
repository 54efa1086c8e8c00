"""Does Python see mien.h as the C compiler does? Offsets, sizes, values, prototypes."""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = os.path.join(ROOT, "core/include/mien/mien.h")
sys.path.append(os.path.join(ROOT, "plugin/python"))

import generate_abi  # noqa: E402
from mien import _abi, _library, options  # noqa: E402


def structs():
    kinds = {n: t for n, t in vars(_abi).items() if n.startswith("mien_") and isinstance(t, type)}
    return {n: t for n, t in kinds.items() if issubclass(t, ctypes.Structure)}


def compiled(lines):
    """What a C program that prints `lines` says."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "p.c"), os.path.join(folder, "p")
        with open(source, "w") as file:
            file.write("#include <mien/mien.h>\n#include <stdio.h>\nint main(void) {\n")
            file.write("\n".join(lines) + "\nreturn 0;\n}\n")
        include = "-I" + os.path.join(ROOT, "core/include")
        subprocess.run([os.environ.get("CC", "cc"), include, source, "-o", program], check=True)
        return subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()


class Header(unittest.TestCase):
    def test_layout(self):
        lines, ours = [], []
        for name, struct in structs().items():
            lines.append(f'printf("%zu\\n", sizeof({name}));')
            ours.append((name, ctypes.sizeof(struct)))
            for field, _ in struct._fields_:
                lines.append(f'printf("%zu\\n", offsetof({name}, {field}));')
                ours.append((f"{name}.{field}", getattr(struct, field).offset))
                lines.append(f'printf("%zu\\n", sizeof((({name} *)0)->{field}));')
                ours.append((f"{name}.{field} size", getattr(struct, field).size))
        self.assertGreater(len(ours), 200)
        for (what, value), theirs in zip(ours, compiled(lines)):
            self.assertEqual(value, int(theirs), what)

    def test_every_struct_is_there(self):
        text = re.sub(r"//.*", "", open(HEADER).read())
        declared = set(re.findall(r"typedef struct (\w+) \{", text))
        self.assertEqual(declared, set(structs()))

    def test_enum_values(self):
        text = re.sub(r"//.*", "", open(HEADER).read())
        enums = {e.name: e for e in generate_abi.Header(open(HEADER).read()).enums}
        lines, ours = [], []
        for name, body in re.findall(r"typedef enum (\w+) \{(.*?)\}", text, re.S):
            members = re.findall(r"\b(MIEN_\w+)\s*(?:=|,|$)", body)
            self.assertEqual(members, [m[0] for m in enums[name].members], name)
            python = getattr(_abi, generate_abi.python_name(name))
            for member, ours_name in zip(members, generate_abi.member_names(enums[name])):
                lines.append(f'printf("%d\\n", (int){member});')
                ours.append((member, int(python[ours_name])))
        for (member, value), theirs in zip(ours, compiled(lines)):
            self.assertEqual(value, int(theirs), member)

    def test_constants(self):
        text = re.sub(r"//.*", "", open(HEADER).read())
        names = re.findall(r"(MIEN_\w+)", " ".join(re.findall(r"^enum \{(.*?)\}", text, re.S | re.M)))
        names += ["MIEN_VERSION_MAJOR", "MIEN_VERSION_MINOR"]
        printed = compiled([f'printf("%d\\n", (int){name});' for name in names])
        for name, theirs in zip(names, printed):
            self.assertEqual(getattr(_abi, name), int(theirs), name)

    def test_every_function_is_there(self):
        text = re.sub(r"//.*", "", open(HEADER).read())
        declared = re.findall(r"MIEN_API [^;(]*?\b(mien_\w+)\(([^;]*)\);", text)
        self.assertEqual({name for name, _ in declared}, set(_abi.FUNCTIONS))
        for name, arguments in declared:
            count = 0 if arguments.strip() == "void" else arguments.count(",") + 1
            self.assertEqual(count, len(_abi.FUNCTIONS[name][1]), name)

    def test_a_new_field_is_one_line_in_the_header(self):
        text = open(HEADER).read()
        line = "  double dt;"
        changed = text.replace(line, "  double bounce[2]; // m, how much  default 0\n" + line, 1)
        self.assertNotEqual(text, changed)
        fields = {s.name: s.fields for s in generate_abi.Header(changed).structs}["mien_step_opts"]
        new = [f for f in fields if f.name == "bounce"][0]
        self.assertEqual(new.type, "(c_double * 2)")
        names = [f.name for f in fields]
        self.assertEqual(names.index("bounce") + 1, names.index("dt"))
        self.assertIn("how much", new.doc)

    def test_headings_are_not_comments_of_the_field_before(self):
        self.assertEqual(_abi.mien_step_opts.DOCS["struct_size"], "set by mien_step_opts_init")

    def test_init_functions_take_the_size(self):
        sized = [n for n, s in structs().items() if s._fields_[0][0] == "struct_size" and n != "mien_settings"]
        self.assertGreater(len(sized), 8)
        for name in sized:
            self.assertEqual(_abi.FUNCTIONS[name + "_init"][1][1], ctypes.c_size_t, name)

    def test_every_refusal_has_an_exception(self):
        refusals = {r for r in _abi.Result if r < 0}
        self.assertEqual(refusals, set(_library._ERRORS))

    def test_what_is_not_understood_is_said(self):
        with self.assertRaises(generate_abi.HeaderError):
            generate_abi.Header("typedef struct mien_x {\n  weird_t a;\n} mien_x;\n")
        with self.assertRaises(generate_abi.HeaderError):
            generate_abi.Header("MIEN_API mien_strange mien_f(int a);\n")

    def test_every_option_has_a_word_of_help(self):
        for of in ("face", "step"):
            for name in options.names(of):
                self.assertIn(name, options.STRUCTS[of].DOCS)
        self.assertIn("Coulomb", options.describe())


if __name__ == "__main__":
    unittest.main()
