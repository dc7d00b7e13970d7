#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Unpacks what scripts/build_packages.sh made, each into a folder of its own, and uses it from
there: programs, find_package(prof), pkg-config, Python. No root needed. Takes half a minute.

Usage: test_packages.py FOLDER [unittest's options]      FOLDER: of the packages, dist
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
PACKAGES = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
RECORDING = os.path.join(SOURCE, "tests", "data", "bert_small.jsonl.gz")
READ = (
    "import prof_torch, prof_trace; " "print(len(prof_trace.open('trace.db').kernels('op', top=1)))"
)


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(
            f"{' '.join(command)} ended with {done.returncode}:\n"
            f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
    return done.stdout


class Package:
    """What is the same for all: a class per format adds unpack() and where things are."""

    libdir = "lib"
    python = "share/prof/python"

    @classmethod
    def setUpClass(cls):
        cls.files = sorted(glob.glob(os.path.join(PACKAGES, cls.pattern)))
        if not cls.files:
            raise unittest.SkipTest(f"SKIPPED: {PACKAGES} has no {cls.pattern}")
        missing = [tool for tool in cls.tools if shutil.which(tool) is None]
        if missing:
            raise unittest.SkipTest(f"SKIPPED: no {', '.join(missing)}")
        cls.folder = tempfile.mkdtemp(prefix="prof-packages-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prefix = cls.unpack(os.path.join(cls.folder, "root"))
        cls.environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("PROF_", "LD_", "PYTHON"))
        }

    def path(self, *parts):
        return os.path.join(self.prefix, *parts)

    def test_programs(self):
        trace = os.path.join(self.folder, "trace.db")
        run(self.path("bin/prof-import"), "-o", trace, RECORDING)
        self.assertIn("linear", run(self.path("bin/prof-report"), trace))
        self.assertEqual(
            "1\n",
            run(
                sys.executable,
                "-B",
                "-c",
                READ,
                cwd=self.folder,
                env={**self.environment, "PYTHONPATH": self.path(self.python)},
            ),
        )
        for name in ("prof-run", "prof-report", "prof-import", "prof-fleet"):
            self.assertRegex(run(self.path("bin", name), "--version"), rf"^{name} \d+\.\d+\.\d+")

    def test_capture(self):
        found = run(
            self.path("bin/prof-run"),
            "-o",
            os.path.join(self.folder, "x.db"),
            "--",
            "sh",
            "-c",
            "echo $NVTX_INJECTION64_PATH; echo $PYTHONPATH",
            env=self.environment,
        )
        self.assertEqual(
            [self.path(self.libdir, "prof/libprof_inject.so"), self.path("share/prof/python")],
            found.splitlines(),
        )
        self.assertTrue(os.path.isfile(self.path("share/prof/python/prof_torch/__main__.py")))

    def check_captured(self, program):
        done = subprocess.run(
            [program],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**self.environment, "LD_LIBRARY_PATH": self.path(self.libdir)},
        )
        self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
        self.assertRegex(done.stdout, r"^prof \d+\.\d+\.\d+: ")

    def test_find_package(self):
        build = os.path.join(self.folder, "consumer")
        run(
            "cmake",
            "-S",
            os.path.join(HERE, "cpp_annotate"),
            "-B",
            build,
            f"-Dprof_DIR={self.path(self.libdir, 'cmake/prof')}",
            env=self.environment,
        )
        run("cmake", "--build", build)
        self.assertEqual("annotated\n", run(os.path.join(build, "annotated")))
        self.check_captured(os.path.join(build, "captured"))

    def test_pkg_config(self):
        environment = {**self.environment, "PKG_CONFIG_PATH": self.path(self.libdir, "pkgconfig")}
        flags = run("pkg-config", "--cflags", "--libs", "prof", env=environment).split()
        program = os.path.join(self.folder, "by_pkg_config")
        run("cc", "-std=c11", os.path.join(HERE, "c_capi", "captured.c"), "-o", program, *flags)
        self.check_captured(program)
        self.assertIn("[libprof.so.1]", run("readelf", "-d", program))


class Deb(Package, unittest.TestCase):
    pattern = "*.deb"
    tools = ("dpkg", "dpkg-architecture")
    python = "lib/python3/dist-packages"

    @classmethod
    def unpack(cls, root):
        for file in cls.files:
            run("dpkg", "-x", file, root)
        cls.libdir = "lib/" + run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
        return os.path.join(root, "usr")

    def test_which_there_are(self):
        names = [run("dpkg", "-f", file, "Package").strip() for file in self.files]
        self.assertEqual(["libprof-dev", "libprof1", "prof", "python3-prof"], sorted(names))

    def test_debians_folders(self):
        for path in (
            "share/man/man1/prof-run.1.gz",
            "share/zsh/vendor-completions/_prof-run",
            "share/bash-completion/completions/prof-report",
            "share/doc/prof/README.md",
            "share/doc/prof/copyright",
            "share/doc/libprof1/changelog.Debian.gz",
        ):
            self.assertTrue(os.path.isfile(self.path(path)), path)


class Rpm(Package, unittest.TestCase):
    pattern = "*.rpm"
    tools = ("rpm2cpio", "cpio", "rpm")
    libdir = "lib64"

    @classmethod
    def unpack(cls, root):
        os.mkdir(root)
        for file in cls.files:
            run("sh", "-c", 'rpm2cpio "$0" | cpio -idm --quiet', file, cwd=root)
        return os.path.join(root, "usr")

    def test_requires(self):
        needed = run("rpm", "-qp", "--requires", *self.files)
        self.assertNotRegex(
            needed, r"pkg-config|libcuda|libcupti|libcurl|libstdc\+\+|GLIBC_2\.3[5-9]"
        )
        self.assertIn("libc.so.6(GLIBC_2.34)(64bit)", needed)

    def test_folders_of_others_are_not_its_own(self):
        own = run("rpm", "-qpl", *self.files).splitlines()
        self.assertEqual(
            [],
            [
                path
                for path in own
                if path
                in (
                    "/usr",
                    "/usr/bin",
                    "/usr/lib64",
                    "/usr/lib64/cmake",
                    "/usr/share",
                    "/usr/lib64/pkgconfig",
                    "/usr/share/man/man1",
                    "/usr/include",
                )
            ],
        )


class Archive(Package, unittest.TestCase):
    pattern = "*.tar.gz"
    tools = ("tar",)

    @classmethod
    def unpack(cls, root):
        os.mkdir(root)
        run("tar", "-xzf", cls.files[0], "-C", root)
        (folder,) = os.listdir(root)
        return os.path.join(root, folder)


if __name__ == "__main__":
    if PACKAGES is None:
        sys.exit(__doc__)
    unittest.main(verbosity=2)
