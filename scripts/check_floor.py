#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Fails if a program or library would not load on the oldest systems that packages are made for:
RHEL 9 (glibc 2.34, GCC 11's libraries), and with it Ubuntu 22.04. A line for each thing that is too
new, and for each library that is needed and is not everywhere, libcuda and libcupti above all.

usage: check_floor.py FILE_OR_FOLDER...
"""
import os
import re
import subprocess
import sys

FLOOR = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (11,)}
EVERYWHERE = {
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "libgcc_s.so.1",
}
# What a library must not offer to the program that it is loaded into: parts of the C++ runtime.
RUNTIME = re.compile(
    r"_ZN?K?S[tabiosd]|_ZT[ISV]N?S[tabiosd]|_Zn[wa]|_Zd[la]|__cxa_|__gxx_|_Unwind_"
)


def is_elf(path):
    if os.path.islink(path) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def elf_files(paths):
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, _, names in os.walk(path):
            yield from (
                os.path.join(folder, name)
                for name in sorted(names)
                if is_elf(os.path.join(folder, name))
            )


def is_newer(version):
    """GLIBC_2.36 is, GLIBC_2.17 is not, nor is what is not counted: GLIBC_PRIVATE, VERS_1."""
    name, _, number = version.partition("_")
    if name not in FLOOR or not re.fullmatch(r"\d+(\.\d+)*", number):
        return version == "GLIBC_PRIVATE"
    return tuple(map(int, number.split("."))) > FLOOR[name]


def mistakes(path):
    """A line for each."""
    environment = dict(os.environ, LC_ALL="C")
    text = subprocess.run(
        ["readelf", "-W", "-d", "--dyn-syms", path],
        check=True,
        env=environment,
        capture_output=True,
        text=True,
    ).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", text))
    lines = [
        f"{path}: needs {library}, which is not everywhere"
        for library in sorted(needed - EVERYWHERE)
    ]
    # "   7: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND hypot@GLIBC_2.35 (5)"
    for place, name, version in re.findall(
        r"^ *\d+: .* (UND|\d+) ([^\s@]+)(?:@+(\S+))?(?: \(\d+\))?$", text, re.MULTILINE
    ):
        if place == "UND" and is_newer(version):
            lines.append(f"{path}: needs {name} of {version}")
        elif place != "UND" and RUNTIME.match(name):
            lines.append(f"{path}: exports {name}, which is the C++ runtime's")
    return lines


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    files = list(elf_files(sys.argv[1:]))
    lines = [line for path in files for line in mistakes(path)]
    for line in lines:
        print(line)
    if lines or not files:
        sys.exit(f"floor: {len(lines)} mistakes in {len(files)} files")
    print(f"floor: {len(files)} files need nothing newer than glibc 2.34")


if __name__ == "__main__":
    main()
