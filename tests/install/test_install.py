#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Installs the build to a folder of its own and uses it from outside, as a user would.

Usage: test_install.py BUILD_DIR [unittest's options]
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(SOURCE, "scripts"))
import check_floor  # noqa: E402

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else None
ENTRY_POINTS = {
    "InitializeInjection",
    "InitializeInjectionNvtx",
    "InitializeInjectionNvtx2",
    "InitializeInjectionNvtxExtension",
    "prof_collector_api_v1",
    "prof_collector_stderr_v1",
}
SYSTEM_LIBRARIES = {
    "libc.so.6",
    "libm.so.6",
    "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
}


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(
            f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )
    return done.stdout


def check_trace_module(test, prefix, environment=None):
    """prof_trace finds the prof-report that was installed with it."""
    recording = os.path.join(HERE, "..", "data", "bert_small.jsonl.gz")
    code = "import prof_trace; print(prof_trace.open('trace.db').kernels('op', top=1))"
    environment = dict(
        os.environ if environment is None else environment,
        PYTHONPATH=os.path.join(prefix, "share", "prof", "python"),
    )
    environment.pop("PROF_REPORT", None)
    with tempfile.TemporaryDirectory(prefix="prof-install-") as folder:
        run(
            os.path.join(prefix, "bin", "prof-import"),
            "-o",
            os.path.join(folder, "trace.db"),
            recording,
        )
        test.assertRegex(
            run(sys.executable, "-B", "-c", code, env=environment, cwd=folder),
            r"^op\s+-+\s+\S.*\s+kernels: 1 row, 1 column",
        )


def check_documents(test, prefix):
    """The pages that messages, and anything else of the programs, name are installed."""
    named = set()
    for folder in ("libprof", "collectors", "analyzers", "tools"):
        for path, folders, files in os.walk(os.path.join(SOURCE, folder)):
            if "node_modules" in folders:
                folders.remove("node_modules")
            for name in files:
                with open(os.path.join(path, name), encoding="utf-8", errors="replace") as file:
                    named |= set(re.findall(r"\bdocs/[\w/-]+\.md\b", file.read()))
    test.assertLessEqual({"docs/sql.md", "docs/formats/schema.md"}, named)
    installed = os.path.join(prefix, "share", "doc", "prof")
    test.assertEqual(
        [], [page for page in sorted(named) if not os.path.isfile(os.path.join(installed, page))]
    )
    for name in (
        "README.md",
        "AGENTS.md",
        "CHANGELOG.md",
        "LICENSE",
        "NOTICES.md",
        "docs/images/gpt.svg",
    ):
        test.assertTrue(os.path.isfile(os.path.join(installed, name)), name)
    # Links between pages lead to pages.
    for page in sorted(glob.glob(os.path.join(installed, "docs", "*.md"))):
        with open(page, encoding="utf-8") as file:
            links = re.findall(r"\]\((?!\.\./tests|https?:)([^)#\s]+)", file.read())
        test.assertEqual(
            [],
            [link for link in links if not os.path.exists(os.path.join(installed, "docs", link))],
            page,
        )


def check_manuals(test, prefix, programs):
    for name in programs:
        for path in (
            f"man/man1/{name}.1",
            f"bash-completion/completions/{name}",
            f"zsh/site-functions/_{name}",
            f"fish/vendor_completions.d/{name}.fish",
        ):
            with open(os.path.join(prefix, "share", path), encoding="utf-8") as file:
                test.assertIn(name, file.read().replace("\\", ""), path)


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="prof-install-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.prefix = os.path.join(cls.folder, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        # The place must not matter: what was installed is moved before it is used.
        moved = os.path.join(cls.folder, "moved")
        shutil.move(cls.prefix, moved)
        cls.prefix = moved
        cls.lib = os.path.dirname(cls.find("libprof_inject.so"))
        cls.environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("PROF_", "LD_"))
        }

    @classmethod
    def find(cls, name):
        found = glob.glob(os.path.join(cls.prefix, "**", name), recursive=True)
        if len(found) != 1:
            raise AssertionError(f"{name}: installed {len(found)} times")
        return found[0]

    def needed(self, library):
        return set(re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-d", library)))

    def test_what_is_there(self):
        for name in (
            "prof-run",
            "prof-report",
            "prof-import",
            "libprof_inject.so",
            "libprof_cublas.so",
            "libprof_nccl.so",
            "libprof_osrt.so",
            "libprof.so",
            "prof.h",
            "annotate.hpp",
            "prof-config.cmake",
            "prof-config-version.cmake",
            "prof.pc",
        ):
            with self.subTest(name):
                self.assertTrue(glob.glob(os.path.join(self.prefix, "**", name), recursive=True))

    def test_manuals_are_where_man_and_shells_look(self):
        check_manuals(self, self.prefix, ("prof-run", "prof-report", "prof-import"))

    def test_documents(self):
        check_documents(self, self.prefix)

    def test_nothing_refers_to_the_build(self):
        for path, _, files in os.walk(self.prefix):
            for name in files:
                with open(os.path.join(path, name), "rb") as file:
                    content = file.read()
                self.assertNotIn(
                    BUILD.encode(), content, f"{path}/{name} refers to the build folder"
                )
                self.assertNotIn(
                    SOURCE.encode() + b"/", content, f"{path}/{name} refers to the source folder"
                )

    def test_collector_shows_its_entry_points_alone(self):
        lines = run(
            "nm", "-D", "--defined-only", os.path.join(self.lib, "libprof_inject.so")
        ).splitlines()
        self.assertEqual(
            ENTRY_POINTS,
            {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] != "A"},
        )

    def test_collector_brings_everything_along(self):
        self.assertLessEqual(
            self.needed(os.path.join(self.lib, "libprof_inject.so")), SYSTEM_LIBRARIES
        )

    def test_collector_has_nothing_that_runs_by_itself(self):
        # One constructor and one destructor are the collector's own; C++ statics would add more.
        sections = run("readelf", "-SW", os.path.join(self.lib, "libprof_inject.so"))
        sizes = {
            name: int(size, 16)
            for name, size in re.findall(
                r"\.(init_array|fini_array)\s+\S+\s+\S+\s+\S+\s+(\w+)", sections
            )
        }
        # frame_dummy or __do_global_dtors_aux, and ours, each a pointer.
        self.assertLessEqual(sizes.get("fini_array", 0), 2 * 8, sections)

    def test_library_needs_no_cuda(self):
        library = self.find("libprof.so")
        self.assertLessEqual(self.needed(library), SYSTEM_LIBRARIES)
        self.assertIn("[libprof.so.1]", run("readelf", "-d", library))
        lines = run("nm", "-D", "--defined-only", library).splitlines()
        names = {line.split()[-1].split("@")[0] for line in lines}
        self.assertEqual(set(), {name for name in names if not name.startswith("prof_")})
        self.assertIn("prof_start", names)

    def test_nothing_is_newer_than_the_oldest_systems(self):
        lines = [
            line
            for path in check_floor.elf_files([self.prefix])
            for line in check_floor.mistakes(path)
        ]
        libc = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
        if lines and libc > (2, 36):
            # As on Ubuntu 24.04, whose headers choose newer functions of its own C library.
            self.skipTest("SKIPPED: packages are built on Debian 12 or older; here " + lines[0])
        self.assertEqual([], lines)

    def check_captured(self, program):
        done = subprocess.run(
            [program], capture_output=True, text=True, cwd=self.folder, env=self.environment
        )
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertEqual("", done.stderr)
        self.assertRegex(done.stdout, r"^prof \d+\.\d+\.\d+: ")

    def test_find_package(self):
        build = os.path.join(self.folder, "consumer")
        run(
            "cmake",
            "-S",
            os.path.join(HERE, "cpp_annotate"),
            "-B",
            build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            "-DCMAKE_BUILD_TYPE=Release",
            env={
                **self.environment,
                "CUDACXX": os.environ.get("CUDACXX", "/usr/local/cuda/bin/nvcc"),
            },
        )
        run("cmake", "--build", build)
        self.assertEqual("annotated\n", run(os.path.join(build, "annotated"), env=self.environment))
        self.check_captured(os.path.join(build, "captured"))

    def test_pkg_config(self):
        tool = shutil.which("pkg-config") or shutil.which("pkgconf")
        if tool is None:
            self.skipTest("SKIPPED: no pkg-config")
        # The tree was moved, which the file follows; NVTX it finds by itself.
        environment = {**self.environment, "PKG_CONFIG_PATH": os.path.dirname(self.find("prof.pc"))}
        flags = run(tool, "--cflags", "--libs", "prof", env=environment).split()
        self.assertIn(
            "-I" + os.path.realpath(os.path.join(self.prefix, "include")),
            ["-I" + os.path.realpath(flag[2:]) for flag in flags],
        )

        def built(compiler, source):
            path = os.path.join(self.folder, os.path.basename(source) + ".by_pkg_config")
            run(
                *compiler,
                "-Wall",
                "-Wextra",
                os.path.join(HERE, source),
                "-o",
                path,
                *flags,
                f"-Wl,-rpath,{os.path.dirname(self.find('libprof.so'))}",
                "-ldl",
            )
            return path

        self.check_captured(built(("cc", "-std=c11", "-Wpedantic", "-Werror"), "c_capi/captured.c"))
        annotated = built(("c++", "-std=c++17"), "cpp_annotate/annotated.cpp")
        self.assertEqual("annotated\n", run(annotated, env=self.environment))

    def test_headers_stand_alone(self):
        include = os.path.dirname(os.path.dirname(self.find("prof.h")))
        run(
            "cc",
            "-std=c99",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-I",
            include,
            "-fsyntax-only",
            "-x",
            "c",
            os.path.join(include, "prof", "prof.h"),
        )
        run(
            "c++",
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-I",
            include,
            "-fsyntax-only",
            "-x",
            "c++",
            os.path.join(include, "prof", "prof.h"),
        )

    def test_programs_run_from_there(self):
        for name in ("prof-run", "prof-report", "prof-import"):
            self.assertIn(
                name, run(os.path.join(self.prefix, "bin", name), "--help", env=self.environment)
            )
        # prof-run finds the collector that was installed with it.
        done = subprocess.run(
            [
                os.path.join(self.prefix, "bin", "prof-run"),
                "-o",
                os.path.join(self.folder, "x.db"),
                "--",
                "sh",
                "-c",
                "echo $NVTX_INJECTION64_PATH; exit 4",
            ],
            capture_output=True,
            text=True,
            env=self.environment,
        )
        self.assertEqual(4, done.returncode, done.stderr)
        self.assertEqual(
            os.path.realpath(os.path.join(self.lib, "libprof_inject.so")), done.stdout.strip()
        )

    def check_prof_torch(self, *command, **environment):
        script = os.path.join(self.folder, "script.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write("import sys; print(sys.argv[1:]); sys.exit(3)")
        done = subprocess.run(
            [*command, "-B", "-m", "prof_torch", script, "--steps", "x"],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**self.environment, **environment},
        )
        self.assertEqual((3, "['--steps', 'x']\n"), (done.returncode, done.stdout), done.stderr)
        return done.stderr

    def test_python_package_runs_from_there(self):
        package = os.path.dirname(os.path.dirname(self.find("interpreter.py")))
        self.assertEqual(
            os.path.join(package, "prof_torch", "at_start", "sitecustomize.py"),
            self.find("sitecustomize.py"),
        )
        self.assertEqual("", self.check_prof_torch(sys.executable, PYTHONPATH=package))

    def test_prof_torch_runs_in_one_way_everywhere(self):
        venv = os.path.join(self.folder, "venv")
        run(sys.executable, "-m", "venv", "--without-pip", venv)
        for folder in (self.prefix, BUILD):
            for python in (sys.executable, os.path.join(venv, "bin", "python")):
                with self.subTest(folder=folder, python=python):
                    self.check_prof_torch(
                        os.path.join(folder, "bin", "prof-run"), "-o", "torch.db", "--", python
                    )

    def test_python_reads_a_trace_from_there(self):
        check_trace_module(self, self.prefix, self.environment)


class InstallWithoutCuda(unittest.TestCase):
    """A build without a CUDA toolkit installs what it has."""

    def test_reports_alone(self):
        with tempfile.TemporaryDirectory(prefix="prof-install-") as prefix:
            run("cmake", "--install", BUILD, "--prefix", prefix)
            for name in ("prof-report", "prof-import"):
                self.assertIn(name, run(os.path.join(prefix, "bin", name), "--help"))
            check_manuals(self, prefix, ("prof-report", "prof-import"))
            check_documents(self, prefix)
            check_trace_module(self, prefix)


if __name__ == "__main__":
    if BUILD is None:
        sys.exit(__doc__)
    has_collector = os.path.exists(os.path.join(BUILD, "lib", "libprof_inject.so"))
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(
        Install if has_collector else InstallWithoutCuda
    )
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
