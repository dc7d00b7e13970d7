#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""docs/examples for Kubernetes: the YAML parses, the code knows its variables, and its commands, run on what is
installed, give the paths that it names. Usage: test_examples.py BUILD"""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "docs/examples"
POD = (EXAMPLES / "pod.yaml").read_text()
CONTAINERFILE = (EXAMPLES / "Containerfile").read_text()
PAGE = (SOURCE / "docs/kubernetes.md").read_text()
UNITS = {"M": 1 << 20, "G": 1 << 30, "Mi": 1 << 20, "Gi": 1 << 30}  # PROF_MAX_SIZE; Kubernetes


def bytes_of(text):
    number, unit = re.fullmatch(r"(\d+)(\w+)", text).groups()
    return int(number) * UNITS[unit]


def value_of(variable):
    return re.search(rf"name: {variable}\n +value: (.*)\n", POD).group(1)


def size_limit(volume):
    return bytes_of(
        re.search(rf"- name: {volume}\n(?: +#.*\n)* +emptyDir:\n +sizeLimit: (\w+)\n", POD).group(1)
    )


class Yaml(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("yaml"), "python3-yaml is not installed")
    def test_it_parses(self):
        import yaml

        spec = yaml.safe_load(POD)["spec"]
        volumes = {volume["name"] for volume in spec["volumes"]}
        containers = spec["initContainers"] + spec["containers"]
        self.assertEqual(3, len(containers))
        for container in containers:
            self.assertLessEqual({mount["name"] for mount in container["volumeMounts"]}, volumes)
        self.assertEqual(
            {"on", "capture", "compare"},
            {"on", *yaml.safe_load((EXAMPLES / "prof.yml").read_text())["jobs"]},
        )

    def test_lines(self):
        for path in EXAMPLES.glob("*.y*ml"):
            script = None  # Indentation of a text in several lines.
            for line in path.read_text().splitlines():
                indent = len(line) - len(line.lstrip(" "))
                if script is not None and (not line or indent > script):
                    continue
                script = indent if line.endswith("|") else None
                self.assertNotIn("\t", line, path)
                self.assertEqual(0, indent % 2, f"{path}: {line}")
                self.assertRegex(line, r"^ *(#.*|(- )?[\w./-]+:( .+)?|- .+|)$", path)


class Variables(unittest.TestCase):
    def test_the_code_knows_them(self):
        code = "".join(path.read_text() for path in SOURCE.glob("collectors/inject/*.cpp"))
        known = set(re.findall(r'"((?:PROF|CUDA|NVTX)_[A-Z0-9_]+)"', code))
        self.assertLessEqual({"PROF_OUTPUT", "PROF_CAPTURE"}, known)
        for text in (POD, PAGE, CONTAINERFILE):
            named = set(re.findall(r"\b(?:PROF|CUDA|NVTX)_[A-Z0-9_]+\b", text))
            self.assertEqual(set(), named - known)

    def test_files_fit_the_volume(self):
        self.assertIn("%n", value_of("PROF_OUTPUT"))
        self.assertLessEqual(2 * bytes_of(value_of("PROF_MAX_SIZE")), size_limit("traces"))


class Paths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.opt = cls.folder / "opt"
        subprocess.run(
            ["cmake", "--install", BUILD, "--prefix", cls.opt],
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def installed(self, path):
        return self.opt / pathlib.PurePosixPath(path).relative_to("/opt/prof")

    def test_containerfile(self):
        paths = re.findall(r"/opt/prof/[\w./-]+", CONTAINERFILE)
        self.assertGreaterEqual(len(paths), 3)
        for path in paths:
            self.assertTrue(self.installed(path).exists(), path)
        name = re.search(
            r"CPACK_PACKAGE_FILE_NAME (\S+)\)", (SOURCE / "cmake/packages.cmake").read_text()
        ).group(1)
        name = name.replace("${PROJECT_VERSION}", "*").replace(
            "${CMAKE_SYSTEM_PROCESSOR}", "x86_64"
        )
        self.assertIn(f"ADD {name}.tar.gz /opt/", CONTAINERFILE)

    def test_what_the_init_container_copies(self):
        volume = self.folder / "volume"
        volume.mkdir()
        command = re.search(r"args:\n +- (.*)\n", POD).group(1)
        command = command.replace("/opt/prof/", f"{self.opt}/").replace(" /prof/", f" {volume}/")
        subprocess.run(["sh", "-ec", command], check=True)
        paths = set(re.findall(r"value: /prof/([\w./-]+)", POD))
        self.assertEqual({"lib/prof/libprof_inject.so", "share/prof/python"}, paths)
        for path in paths:
            self.assertTrue((volume / path).exists(), path)
        total = sum(os.lstat(path).st_size for path in volume.rglob("*"))
        self.assertLess(total, size_limit("prof") / 2)


if __name__ == "__main__":
    unittest.main()
