#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of the build, installs it as users do, and uses what was installed. No network.

Usage: test_wheel.py BUILD_DIR [unittest's options]
"""
import base64
import csv
import ctypes
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
RECORDING = os.path.join(SOURCE, "tests", "data", "bert_small.jsonl.gz")
READ = (
    "import prof_torch, prof_trace; print(prof_trace.__file__); "
    "print(len(prof_trace.open('trace.db').kernels('op', top=1)))"
)
SCRIPT = "import os, sys; print(sys.argv[1:]); print(os.environ['PYTHONPATH']); sys.exit(3)"


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
        return True
    except OSError:
        return False


def files_below(folder):
    return {
        os.path.relpath(os.path.join(path, name), folder)
        for path, folders, names in os.walk(folder)
        for name in folders + names
    }


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="prof-wheel-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.venv = os.path.join(cls.folder, "venv")
        # Nothing of the user's, and of the machine what all have.
        cls.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": cls.folder,
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        cls.wheel = cls.built_wheel()
        if importlib.util.find_spec("ensurepip") is None:
            raise unittest.SkipTest("SKIPPED: no python3-venv")
        cls.output(sys.executable, "-m", "venv", cls.venv)
        cls.before = files_below(cls.venv)
        cls.output(cls.program("pip"), "install", cls.wheel)

    @classmethod
    def built_wheel(cls):
        script = os.path.join(SOURCE, "scripts", "build_wheel.py")
        return cls.output(sys.executable, "-B", script, BUILD, cls.folder).strip()

    @classmethod
    def program(cls, name):
        return os.path.join(cls.venv, "bin", name)

    @classmethod
    def output(cls, *command, status=0, **variables):
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=cls.folder,
            env={**cls.environment, **variables},
        )
        if done.returncode != status:
            raise AssertionError(
                f"{' '.join(command)} ended with {done.returncode}:\n"
                f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
            )
        return done.stdout

    def test_archive(self):
        libc = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
        system = "manylinux_2_34" if libc <= (2, 36) else "(manylinux_2_34|linux)"
        self.assertRegex(
            os.path.basename(self.wheel), rf"^libprof-\d+\.\d+\.\d+-py3-none-{system}_\w+\.whl$"
        )
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            self.assertEqual(len(names), len(set(names)))
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            rows = list(csv.reader(archive.read(record).decode().splitlines()))
            self.assertEqual(names, [row[0] for row in rows])
            for name, digest, size in rows:
                if name == record:
                    continue
                content = archive.read(name)
                self.assertEqual(str(len(content)), size, name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                self.assertEqual("sha256=" + expected.rstrip(b"=").decode(), digest, name)

    def test_programs(self):
        for name in ("prof-run", "prof-report", "prof-import"):
            self.assertRegex(
                self.output(self.program(name), "--version"),
                rf"^{name} \d+\.\d+\.\d+( \(g[0-9a-f]+\))?\n$",
            )

    def read_a_trace(self, bin_folder, python, **variables):
        trace = os.path.join(self.folder, "trace.db")
        self.output(os.path.join(bin_folder, "prof-import"), "--force", "-o", trace, RECORDING)
        self.assertIn("linear", self.output(os.path.join(bin_folder, "prof-report"), trace))
        return self.output(python, "-c", READ, **variables).splitlines()

    def test_read(self):
        package, rows = self.read_a_trace(os.path.join(self.venv, "bin"), self.program("python"))
        self.assertRegex(package, r"/venv/lib\w*/python3\.\d+/site-packages/prof_trace/")
        self.assertEqual("1", rows)

    def test_read_from_a_folder(self):
        target = os.path.join(self.folder, "target")
        self.output(self.program("pip"), "install", "--no-compile", "--target", target, self.wheel)
        package, rows = self.read_a_trace(
            os.path.join(target, "bin"), sys.executable, PYTHONPATH=target
        )
        self.assertEqual((os.path.join(target, "prof_trace", "__init__.py"), "1"), (package, rows))
        self.check_capture(os.path.join(target, "bin"), target)

    def check_capture(self, bin_folder, prefix):
        """prof-run and prof_torch find what was installed with them, whatever runs: another Python,
        too, which gets the two packages and nothing else of this one."""
        script = os.path.join(self.folder, "script.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        command = [os.path.join(bin_folder, "prof-run"), "--force", "-o", "run.db", "--"]
        self.assertEqual(
            os.path.join(prefix, "libexec", "prof", "libprof_inject.so") + "\n",
            self.output(*command, "sh", "-c", "echo $NVTX_INJECTION64_PATH"),
        )
        for python in (sys.executable, self.program("python")):
            lines = self.output(*command, python, "-m", "prof_torch", script, "x", status=3)
            self.assertEqual(
                ["['x']", os.path.join(prefix, "share", "prof", "python")], lines.splitlines()
            )
            found = self.output(
                *command, python, "-c", "import prof_torch.library as it; print(it.load()._name)"
            )
            self.assertEqual(os.path.join(prefix, "libexec", "prof", "libprof.so.1") + "\n", found)
        self.assertEqual(
            {"prof_torch", "prof_trace"},
            set(os.listdir(os.path.join(prefix, "share", "prof", "python"))),
        )

    def test_capture(self):
        self.check_capture(os.path.join(self.venv, "bin"), self.venv)

    def test_without_a_driver(self):
        if has_driver():
            self.skipTest("SKIPPED: this machine has a driver")
        done = subprocess.run(
            [self.program("prof-run"), "-o", "none.db", "--", "sh", "-c", "echo ran; exit 4"],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=self.environment,
        )
        self.assertEqual((4, "ran\n"), (done.returncode, done.stdout), done.stderr)
        self.assertIn("no NVIDIA driver is installed here", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "none.db")))

    def test_uninstalled_nothing_stays(self):
        venv = os.path.join(self.folder, "other")
        shutil.copytree(self.venv, venv, symlinks=True)
        python = os.path.join(venv, "bin", "python")
        self.output(python, "-m", "pip", "uninstall", "-y", "libprof")
        left = {
            name
            for name in files_below(venv) - self.before
            if not re.search(r"(^|/)__pycache__(/|$)", name)
        }
        # pip removes the files, and of folders those of packages.
        self.assertEqual(
            set(), {name for name in left if not os.path.isdir(os.path.join(venv, name))}
        )


if __name__ == "__main__":
    if BUILD is None:
        sys.exit(__doc__)
    unittest.main(verbosity=2)
