#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of a build: programs, collector and Python packages, for `pip install`. Needs
nothing but Python and CMake. The same build gives the same wheel, byte by byte.

The programs are installed as they are, not started by Python: a wheel's `scripts` go to PREFIX/bin.
What they need lies relative to that, as after `cmake --install`: PREFIX/share/prof/python and
PREFIX/libexec/prof, since `pip install --target` drops what goes to PREFIX/lib. The Python packages are there twice:
in site-packages, for `import`; and alone in a folder, which prof-run adds to the PYTHONPATH of
whatever Python it runs, and which must not bring along the rest of a site-packages.

A build that needs a newer system than others have (check_floor.py) makes a wheel for this one alone.

usage: build_wheel.py BUILD_FOLDER [OUTPUT_FOLDER]     default: dist
"""
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile

import check_floor

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAME = "libprof"
COMPONENTS = ("programs", "libraries", "python")
FLOOR = "manylinux_%d_%d" % check_floor.FLOOR["GLIBC"]

METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: Kernel-attribution profiler for NVIDIA GPUs
Author: The libprof authors
License: Apache-2.0
License-File: LICENSE
License-File: NOTICES.md
Keywords: CUDA,GPU,profiler,PyTorch,NVTX,CUPTI
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Software Development :: Debuggers
Requires-Python: >=3.8
Provides-Extra: cu12
Requires-Dist: nvidia-cuda-cupti-cu12; extra == "cu12"
Provides-Extra: cu13
Requires-Dist: nvidia-cuda-cupti>=13,<14; extra == "cu13"
Description-Content-Type: text/markdown

{readme}"""


def cached(build, name):
    """A value of the build's configuration."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        found = re.search(rf"^{name}:\w+=(.*)$", file.read(), re.MULTILINE)
    if not found:
        sys.exit(f"{build}: has no {name} in CMakeCache.txt")
    return found.group(1)


def files_below(folder):
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield os.path.join(path, name)


def places_of(path, libdir, data):
    """Where the wheel has a file of the installed tree: paths in the archive; none: left out."""
    if path.startswith("bin/"):
        return [data + "scripts/" + path[len("bin/") :]]
    if path.startswith(libdir + "/"):
        # By the name that the loader knows it by. The library lies beside the collector: nothing is linked to it.
        name = re.sub(r"^(libprof\.so\.\d+)\..*", r"\1", os.path.basename(path))
        return [f"{data}data/libexec/prof/{name}"]
    if path.startswith("share/prof/python/"):
        return [data + "data/" + path, path[len("share/prof/python/") :]]
    if path.startswith("share/doc/") and not (
        path.endswith((".md", "LICENSE")) or "/docs/examples/" in path
    ):
        return []
    return [data + "data/" + path]


def install(build, prefix):
    for component in COMPONENTS:
        subprocess.run(
            ["cmake", "--install", build, "--prefix", prefix, "--strip", "--component", component],
            check=True,
            stdout=subprocess.DEVNULL,
        )


def contents(build, prefix, version):
    """(path in the archive, bytes, is a program) of all but the wheel's own files."""
    libdir = cached(build, "CMAKE_INSTALL_LIBDIR")
    for path in files_below(prefix):
        if os.path.islink(path):
            continue
        with open(path, "rb") as file:
            content = file.read()
        for place in places_of(os.path.relpath(path, prefix), libdir, f"{NAME}-{version}.data/"):
            yield place, content, os.access(path, os.X_OK) and "/scripts/" in place


def own_files(version, tag):
    folder = f"{NAME}-{version}.dist-info/"
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    for name in ("LICENSE", "NOTICES.md"):
        with open(os.path.join(SOURCE, name), "rb") as file:
            yield folder + name, file.read()
    yield folder + "METADATA", METADATA.format(name=NAME, version=version, readme=readme).encode()
    yield folder + "WHEEL", (
        f"Wheel-Version: 1.0\nGenerator: {NAME}\nRoot-Is-Purelib: false\nTag: {tag}\n"
    ).encode()


def tag_of(prefix):
    """Of the systems on which what is installed there runs."""
    too_new = [
        line for path in check_floor.elf_files([prefix]) for line in check_floor.mistakes(path)
    ]
    if too_new:
        reason = too_new[0].removeprefix(prefix + "/")
        print(f"wheel: for this system alone: {reason}", file=sys.stderr)
    return f"py3-none-{'linux' if too_new else FLOOR}_{os.uname().machine}"


class Wheel:
    def __init__(self, path, version):
        self._archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self._record = f"{NAME}-{version}.dist-info/RECORD"
        self._lines = []
        # 1980 is the oldest time that an archive can have.
        epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)
        self._time = time.gmtime(epoch)[:6]

    def add(self, path, content, is_program=False):
        entry = zipfile.ZipInfo(path, self._time)
        entry.external_attr = (0o100755 if is_program else 0o100644) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self._archive.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self._lines.append(f"{path},sha256={digest},{len(content)}\n")

    def close(self):
        lines = "".join(self._lines) + self._record + ",,\n"
        self.add(self._record, lines.encode())
        self._archive.close()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, output = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "dist"
    version = cached(build, "CMAKE_PROJECT_VERSION")
    os.makedirs(output, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="prof-wheel-") as prefix:
        install(build, prefix)
        tag = tag_of(prefix)
        path = os.path.join(output, f"{NAME}-{version}-{tag}.whl")
        wheel = Wheel(path + ".part", version)
        for place, content, is_program in contents(build, prefix, version):
            wheel.add(place, content, is_program)
        for place, content in own_files(version, tag):
            wheel.add(place, content)
        wheel.close()
    os.replace(path + ".part", path)
    print(path)


if __name__ == "__main__":
    main()
