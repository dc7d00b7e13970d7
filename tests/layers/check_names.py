#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Fails on two files of a library that define the same name in an anonymous namespace.

A unity batch compiles them as one file, and which files share a batch changes with every new one: without this check
such a pair breaks some later build.

usage: check_names.py SOURCE_DIR | --self-test
"""
import collections
import pathlib
import re
import sys
import tempfile

TOP = ("libprof", "collectors", "analyzers", "tools")
OPENS = re.compile(r"namespace ([\w:]*) ?\{")
TEMPLATE = re.compile(r"template <.*?>\s+(?=\w)")
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)\s*|\[\[.*?\]\]\s*")
TYPE = re.compile(r"(?:struct|class|enum(?: class)?|union)\s+(\w+)[^=(]*(?:\{|$)")
# A member's definition outside its class cannot clash unless the class does.
FUNCTION = re.compile(r"[\w:<>,&*\s\[\]()]*?(?<![:\w])(\w+)(\([^=]*)")
VARIABLE = re.compile(
    r"(?:inline |static |thread_local |const |constexpr |constinit )+.*?(\w+)(?:\[\w*\])*\s*(?:=|\{|;)"
)


def library(file):
    return next(folder for folder in file.parents if (folder / "CMakeLists.txt").exists())


def definition(text):
    """What tells a definition from others, or none: its name, of a function its arguments' types as well."""
    text = ATTRIBUTE.sub("", TEMPLATE.sub("", text))
    if found := TYPE.match(text):
        return found[1]
    if found := VARIABLE.match(text):
        return found[1]
    if (found := FUNCTION.match(text)) and not text.startswith(
        ("using", "static_assert", "extern")
    ):
        arguments = found[2][: found[2].rfind(")") + 1]
        return found[1] + re.sub(r"\s*\b\w+(?=[,)])", "", arguments)
    return None


def anonymous_definitions(text):
    """The namespace and the definition of each in a formatted file, where they begin in the first column."""
    spaces = []
    pending = ""
    for line in text.splitlines():
        if found := OPENS.match(line):
            spaces.append(found[1])
        elif line.startswith("}  // namespace"):
            spaces[-1:] = []
        elif spaces and not spaces[-1] and (pending or re.match(r"\w", line)):
            pending += " " * bool(pending) + line.strip()
            # A template's head and a list of arguments may take several lines.
            if pending.count("(") > pending.count(")") or re.fullmatch(r"template <.*>", pending):
                continue
            if found := definition(pending):
                yield "::".join(spaces[:-1]), found
            pending = ""


def clashes(root):
    places = collections.defaultdict(list)
    for file in sorted(
        p for top in TOP for p in (root / top).rglob("*.cpp") if "node_modules" not in p.parts
    ):
        # A type may be declared first.
        for found in dict.fromkeys(anonymous_definitions(file.read_text(errors="replace"))):
            places[library(file), *found].append(file.relative_to(root).as_posix())
    for (_, _, name), files in sorted(places.items()):
        if len(files) > 1:
            yield f"{name}: {', '.join(files)} define it, and may be compiled as one file; rename one"


def self_test():
    one = (
        "namespace prof {\nnamespace {\n\nint same(int a,\n         char b) {\n}\nint other(int a) {\n}\n"
        "constexpr int kSame = 1;\nstruct Same {\n  int kOwn = 1;\n};\n}  // namespace\nint kOut = 1;\n}  // namespace prof\n"
    )
    two = one.replace("int other(int a)", "int other(char a)").replace("int a,", "int first,")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {
            "tools/a/CMakeLists.txt": "",
            "tools/b/CMakeLists.txt": "",
            "tools/a/x.cpp": one,
            "tools/a/in/y.cpp": two,
            "tools/b/z.cpp": one,
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        found = list(clashes(root))
    print("\n".join(found))
    return int([line.split(":")[0] for line in found] != ["Same", "kSame", "same(int, char)"])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    found = list(clashes(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "names: none twice in a library")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
