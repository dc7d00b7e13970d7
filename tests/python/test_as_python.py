# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""A program runs under prof_torch as python3 runs it: same output, same messages, same status, for
each row of as_python_rows.py. test_as_python.py [VERSION [TEST...]]: with that Python, 3.8 for
example, if it is installed."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
import zipfile
from unittest import mock

import as_python_rows as rows
from as_python_rows import Compiled, Link, Row
from support import FAKE_TORCH_FOLDER, PACKAGE_FOLDER

PACKAGE = os.path.join(os.path.abspath(PACKAGE_FOLDER), "prof_torch")
SKIPPED = 77  # as CTest is told

python = sys.executable


def version_of(path):
    done = subprocess.run(
        [path, "-c", "import sys; print(*sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=False,
    )
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


def find_python(version):
    """The path of python3 of that version; None if there is none."""
    wanted = tuple(map(int, version.split(".")))
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    folders = os.environ.get("PATH", "").split(os.pathsep)
    if os.path.isdir(pyenv + "/versions"):
        folders += [
            os.path.join(pyenv, "versions", name, "bin") for name in os.listdir(pyenv + "/versions")
        ]
    for folder in folders:
        for name in ("python" + version, "python3"):
            path = shutil.which(os.path.join(folder, name))
            if path and "shims" not in path and version_of(path) == wanted:
                return path
    return None


def write(folder, files):
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, Link):
            os.symlink(content, path)
        elif isinstance(content, Compiled):
            code = "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], 'p.py')"
            with tempfile.NamedTemporaryFile("w") as source:
                source.write(content)
                source.flush()
                subprocess.run([python, "-c", code, source.name, path], check=True)
        elif isinstance(content, dict):
            with zipfile.ZipFile(path, "w") as archive:
                for inner, text in content.items():
                    archive.writestr(inner, text)
        else:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())


class RowsTest(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.version = version_of(python)

    def run_row(self, row, *ours):
        """Status, stdout and stderr, in a new folder of always the same name."""
        with tempfile.TemporaryDirectory() as above:
            folder = os.path.join(above, "x")
            os.mkdir(folder)
            write(folder, row.files)
            environment = {
                name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
            }
            search_path = [
                row.variables.get("EXTRA_PATH"),
                os.path.dirname(PACKAGE),
                os.path.abspath(FAKE_TORCH_FOLDER),
            ]
            environment.update(
                row.variables,
                PYTHONDONTWRITEBYTECODE="1",
                PYTHONPATH=os.pathsep.join(filter(None, search_path)),
            )
            command = [python, *row.options, *ours, *row.command]
            done = subprocess.run(
                ["bash", "-c", row.shell + '\nexec "$0" "$@"', *command],
                cwd=folder,
                env=environment,
                input=row.stdin.encode(),
                capture_output=True,
                timeout=60,
                check=False,
            )
            parts = (
                re.sub(
                    r"\b0x[0-9a-f]+",
                    "0x",
                    part.decode("utf-8", "backslashreplace").replace(above, "TOP"),
                )
                for part in (done.stdout, done.stderr)
            )
            return (done.returncode, *parts)

    def check(self, table):
        for row in table:
            if self.version < row.since:
                continue
            with self.subTest(row.name):
                ours = (PACKAGE,) if row.by_path else ("-m", "prof_torch")
                plain, annotated = self.run_row(row), self.run_row(row, *ours)
                if row.says:
                    first, _, rest = annotated[2].partition("\n")
                    self.assertIn(row.says, first)
                    annotated = (*annotated[:2], rest)
                self.assertEqual(plain, annotated)


class AsPython(RowsTest):
    def test_starts(self):
        self.check(rows.STARTS)

    def test_options_of_python(self):
        self.check(rows.OPTIONS)

    def test_ends(self):
        self.check(rows.ENDS)

    def test_tracebacks(self):
        self.check(rows.TRACEBACKS)

    def test_main_modules(self):
        self.check(rows.MAIN_MODULES)

    def test_processes(self):
        self.check(rows.PROCESSES)


class OwnModules(RowsTest):
    """Modules of the program's with names of ours and of the standard library."""

    def names(self):
        ours = [
            name[:-3] for name in os.listdir(PACKAGE) if name.endswith(".py") and name[0] != "_"
        ]
        standard = subprocess.run(
            [python, "-c", "import sys; print(*getattr(sys, 'stdlib_module_names', ()))"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        return sorted(
            {*ours, *standard, *rows.OWN_NAMES} - {"__main__", "prof_torch", "this", "antigravity"}
        )

    def test_one(self):
        for name in rows.OWN_NAMES:
            files = {
                "own/%s.py" % name: "me = 'own'\nprint('runs')\n",
                "own/p.py": "import %s\nprint(getattr(%s, 'me', 'not own'))\n" % (name, name),
            }
            self.check([Row(name, "own/p.py", files=files)])

    def test_all(self):
        # In the working directory python3 -m itself would import some of them.
        text = "for name in %r: print(name, getattr(__import__(name), 'me', 'not own'))\n"
        files = {"own/%s.py" % name: "me = 'own'\nprint('runs')\n" for name in self.names()}
        files["own/p.py"] = text % self.names()
        self.check([Row("elsewhere", "own/p.py", files=files)])
        self.check(
            [
                Row(
                    "here",
                    "p.py",
                    by_path=True,
                    files={os.path.basename(path): content for path, content in files.items()},
                )
            ]
        )

    def test_here(self):
        # What python3 -m itself does not import.
        for name in (
            "signal",
            "select",
            "json",
            "argparse",
            "locale",
            "gettext",
            "ctypes",
            "copy",
            "string",
        ):
            self.check(
                [
                    Row(
                        name,
                        files={
                            "p.py": "import %s\nprint(%s.me)\n" % (name, name),
                            name + ".py": "me = 'own'\nprint('runs')\n",
                        },
                    )
                ]
            )

    def test_what_torch_does_without(self):
        # json, signal and select may be anything; what prof_torch needs of them it has itself.
        use = (
            "import torch\nm = torch.nn.Sequential(torch.nn.Linear())\nm(1)\n"
            "print(sum('push' in line for line in torch._C.log))\n"
        )
        for name in (
            "json",
            "signal",
            "select",
            "argparse",
            "locale",
            "gettext",
            "subprocess",
            "random",
            "copy",
        ):
            row = Row(
                name, "own/p.py", files={"own/%s.py" % name: "print('runs')\n", "own/p.py": use}
            )
            with self.subTest(name):
                self.assertEqual((0, "2\n", ""), self.run_row(row, "-m", "prof_torch", "--no-ops"))

    def test_what_is_imported_with_torch(self):
        # The program sees the modules of prof_torch, and no other that torch has not imported.
        text = (
            "import torch, sys\nours = ('prof_torch', 'atexit')\n"
            "print(sorted(name for name in sys.modules if name.partition('.')[0] not in ours))\n"
        )
        self.check([Row("modules", files=text)])


class Old(RowsTest):
    """A Python that is not supported runs the program, and a line says why that is all."""

    def test_programs_run(self):
        old = find_python("3.7")
        if old is None:
            self.skipTest("Python 3.7 is not installed")
        with mock.patch.object(sys.modules[__name__], "python", old):
            row = Row(
                "old",
                "p.py",
                "x",
                files="import torch, sys\nprint(sys.argv)\nsys.exit(4)\n",
                says="nothing is annotated, since this is an older Python than 3.8",
            )
            self.version = (3, 8)
            self.check([row])


class Marked(RowsTest):
    """What a program does after the end of its main module is marked as what it did before."""

    def marked(self, text, *command):
        row = Row("", *(command or ("p.py",)), files=textwrap.dedent(text))
        status, stdout, stderr = self.run_row(row, "-m", "prof_torch", "--no-ops")
        self.assertEqual((0, ""), (status, stderr))
        return stdout

    MODEL = """
        import atexit, threading, time
        class Early:
            def show(self):
                log = torch._C.log
                steps = [line for line in log if " step:" in line]
                print(sum("push" in line for line in log), steps)
        early = Early()
        atexit.register(early.show)
        import torch
        class Model(torch.nn.Module):
            def forward(self, x=1): return x
        model = Model()
        """

    def test_threads_that_outlive_main(self):
        self.assertEqual(
            "4 ['start step:0']\n",
            self.marked(
                self.MODEL
                + """
        def work():
            for _ in range(3):
                time.sleep(0.05)
                model()
        threading.Thread(target=work).start()
        model()
        """
            ),
        )

    def test_exit_handlers(self):
        # `early` is registered before torch is imported, and called after all others.
        self.assertEqual(
            "3 ['start step:0']\n",
            self.marked(
                self.MODEL
                + """
        atexit.register(model)
        atexit.register(model)
        model()
        """
            ),
        )

    def test_the_last_step_ends_after_them(self):
        stdout = self.marked(
            self.MODEL
            + """
        optimizer = torch.optim.Adam()
        model()
        optimizer.step()
        atexit.register(model)
        """
        )
        self.assertEqual("3 ['start step:0', 'end step:0', 'start step:1']\n", stdout)

    def test_every_way_to_start(self):
        use = (
            "import torch\nm = torch.nn.Sequential(torch.nn.Linear())\nm(1)\n"
            "print(sum('push' in line for line in torch._C.log))\n"
        )
        files = {
            "p.py": use,
            "f/__main__.py": use,
            "z.pyz": {"__main__.py": use},
            "q/__init__.py": "",
            "q/m.py": use,
        }
        for command in (("p.py",), ("f",), ("z.pyz",), ("-m", "q.m"), ("-c", use), ("-",)):
            with self.subTest(command=command):
                row = Row("", *command, files=files, stdin=use)
                self.assertEqual((0, "2\n", ""), self.run_row(row, "-m", "prof_torch", "--no-ops"))
                self.assertEqual((0, "2\n", ""), self.run_row(row, PACKAGE, "--no-ops"))


def main():
    global python
    arguments = sys.argv[1:]
    if arguments and arguments[0][0].isdigit():
        version = arguments.pop(0)
        found = version != "%d.%d" % sys.version_info[:2] and find_python(version)
        if not found:
            print("Python %s is not installed, or runs the same test without a version" % version)
            sys.exit(SKIPPED)
        python = found
    unittest.main(argv=[sys.argv[0], *arguments])


if __name__ == "__main__":
    main()
