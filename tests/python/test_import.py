# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""However and whenever a program imports torch, python3 -m prof_torch annotates it, and the program sees
of imports what it sees without."""
import os
import subprocess
import sys
import unittest

from runner_test import RunnerTest

USE_TORCH = """
import torch
model = torch.nn.Sequential(torch.nn.Linear())
model(1)
print("pushes", sum(entry.startswith("push") for entry in torch._C.log))
"""


class Import(RunnerTest):
    def assert_annotated(self, before, use=USE_TORCH):
        path = self.write("script.py", before + use)
        result = self.run_python("-m", "prof_torch", "--no-ops", path)
        self.assertEqual((result.stdout, result.stderr, result.returncode), ("pushes 2\n", "", 0))
        self.assertEqual(self.run_python(path).stdout, "pushes 0\n")

    def test_plain(self):
        self.assert_annotated("")

    def test_a_submodule_first(self):
        self.assert_annotated("import torch.nn.utils\n")
        self.assert_annotated("import importlib; importlib.import_module('torch.optim')\n")

    def test_the_spec_is_asked_for_first(self):
        self.assert_annotated(
            "import importlib.util\nfor _ in range(3): assert importlib.util.find_spec('torch').origin\n"
        )
        self.assert_annotated(
            "import importlib.util\nassert importlib.util.find_spec('torch.nn') is not None\n"
        )

    def test_every_finder_is_asked_first(self):
        self.assert_annotated(
            "import sys\nfor finder in sys.meta_path: finder.find_spec('torch', None)\n"
        )

    def test_a_first_import_that_fails(self):
        self.assert_annotated(
            """
import sys
for _ in range(2):
    sys.modules["torch.optim"] = None  # What importing it finds: ImportError.
    try:
        import torch
    except ImportError:
        for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
            del sys.modules[name]
"""
        )

    def test_reload(self):
        self.assert_annotated("import importlib, torch; importlib.reload(torch)\n")

    def test_a_spec_that_the_program_executes_itself(self):
        self.assert_annotated(
            """
import importlib.util, sys
spec = importlib.util.find_spec("torch")
sys.modules["torch"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sys.modules["torch"])
"""
        )

    def test_a_copy_that_is_not_imported(self):
        # Executed under that name, but not what `import torch` gives.
        self.assert_annotated(
            """
import importlib.util, sys
other = __file__.replace("script.py", "other.py")
with open(other, "w") as file:
    file.write("nn = None")
spec = importlib.util.spec_from_file_location("torch", other)
spec.loader.exec_module(importlib.util.module_from_spec(spec))
"""
        )

    def test_several_threads(self):
        self.assert_annotated(
            """
import threading
def work():
    barrier.wait()
    import torch
    found.append(torch.nn.Module.__call__)
found, barrier = [], threading.Barrier(8)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(found) == 8 and len(set(found)) == 1
"""
        )

    def test_a_program_with_finders_of_its_own(self):
        self.assert_annotated(
            "import sys; sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]\n"
        )
        self.assert_annotated("import sys; sys.meta_path.reverse()\n")
        self.assert_annotated("import sys; sys.meta_path = list(sys.meta_path)\n")
        self.assert_annotated(
            """
import importlib.machinery, sys
class Loader(importlib.machinery.SourceFileLoader):  # As tools that rewrite what is imported do it.
    def exec_module(self, module):
        super().exec_module(module)
class Finder:
    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if name == "torch": spec.loader = Loader(name, spec.origin)
        return spec
sys.meta_path.insert(0, Finder())
"""
        )

    def test_what_the_program_sees(self):
        path = self.write(
            "script.py",
            """
            import importlib.machinery, importlib.resources, importlib.util, sys
            def show(spec):
                print(type(spec.loader), isinstance(spec.loader, importlib.machinery.SourceFileLoader), vars(spec.loader))
                print(spec.origin, spec.cached, spec.submodule_search_locations, spec.has_location, spec.parent)
                print(spec.loader.get_source("torch")[:20], type(spec.loader.get_resource_reader("torch")))
            first, second = importlib.util.find_spec("torch"), importlib.util.find_spec("torch")
            show(first)
            print(first == second, [getattr(f, "__name__", type(f)) for f in sys.meta_path], len(sys.path_hooks))
            import torch
            show(torch.__spec__)
            print(torch.__spec__ == second, torch.__loader__ is torch.__spec__.loader)
            print(importlib.resources.files("torch").joinpath("__init__.py").is_file())
            print(importlib.machinery.SourceFileLoader.exec_module.__qualname__, "exec_module" in vars(importlib.machinery.SourceFileLoader))
            """,
        )
        self.assert_same(path)

    def test_exceptions_of_imports_look_the_same(self):
        self.write("raises.py", "def deep():\n    1 / 0\ndeep()\n")
        self.write("imports_raises.py", "import raises\n")
        self.write("imports_nothing.py", "import there_is_no_such_module\n")
        self.write("syntax.py", "a b\n")
        for module in ("imports_raises", "imports_nothing", "syntax"):
            self.assert_same(self.write("script.py", "import %s\n" % module))
        self.write("torch/__init__.py", "import raises\n")
        self.assert_same(self.write("script.py", "import torch\n"))

    def test_what_goes_unnoticed_is_said(self):
        path = self.write(
            "script.py",
            """
            import importlib.machinery, sys, types
            spec = importlib.machinery.PathFinder.find_spec("torch")
            module = sys.modules["torch"] = types.ModuleType("torch")
            module.__spec__, module.__path__ = spec, spec.submodule_search_locations
            exec(compile(spec.loader.get_source("torch"), spec.origin, "exec"), module.__dict__)
            sys.exit(7)
            """,
        )
        result = self.run_python("-m", "prof_torch", path)
        self.assertEqual((result.stdout, result.returncode), ("", 7))
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn("nothing is annotated", result.stderr)
        self.assertIn("prof_torch.start()", result.stderr)

    def test_a_torch_that_is_none(self):
        self.assert_same(
            self.write("script.py", "import sys, types; sys.modules['torch'] = None\n")
        )
        self.assert_same(
            self.write(
                "script.py", "import sys, types; sys.modules['torch'] = types.ModuleType('torch')\n"
            )
        )

    def test_a_program_that_starts_it_itself(self):
        path = self.write(
            "script.py", "import prof_torch, torch\nprof_torch.start()\nprof_torch.stop()\n"
        )
        self.assert_same(path)


class Lines(RunnerTest):
    """Our lines go to what stderr was at the start, and cost the program nothing."""

    def setUp(self):
        super().setUp()
        self.write(
            "torch.py", "class nn: Module = None\nclass _C: _nvtx = object()\n"
        )  # Cannot be annotated: one line.

    def status(self, script, stderr, **options):
        path = self.write("script.py", script)
        return subprocess.run(
            [sys.executable, "-m", "prof_torch", path],
            cwd=self.folder,
            env=self.environment(),
            stderr=stderr,
            stdout=subprocess.PIPE,
            timeout=60,
            **options
        )

    def test_a_file_of_the_programs_own_as_2(self):
        done = self.status(
            """
            import os, sys
            os.close(2)
            assert os.open("data.bin", os.O_RDWR | os.O_CREAT) == 2
            import torch
            sys.exit(7)
            """,
            subprocess.PIPE,
        )
        self.assertEqual(done.returncode, 7)
        with open(os.path.join(self.folder, "data.bin"), "rb") as file:
            self.assertEqual(file.read(), b"")

    def test_stderr_closed(self):
        path = self.write("script.py", "import sys, torch\nprint('own')\nsys.exit(7)\n")
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-m", "prof_torch", path],
            cwd=self.folder,
            env=self.environment(),
            stdout=subprocess.PIPE,
            timeout=60,
        )
        self.assertEqual((done.stdout, done.returncode), (b"own\n", 7))

    def test_nobody_reads(self):
        for first in ("", "import signal; signal.signal(signal.SIGPIPE, signal.SIG_DFL)\n"):
            reader, writer = os.pipe()
            os.close(reader)
            done = self.status(first + "import sys, torch\nsys.exit(7)\n", writer)
            os.close(writer)
            self.assertEqual(done.returncode, 7)

    def test_full(self):
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        try:
            while True:
                os.write(writer, bytes(4096))
        except BlockingIOError:
            os.set_blocking(writer, True)
        done = self.status("import sys, torch\nsys.exit(7)\n", writer)
        os.close(writer)
        os.close(reader)
        self.assertEqual(done.returncode, 7)


if __name__ == "__main__":
    unittest.main()
