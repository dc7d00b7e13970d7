# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""python3 -m prof_torch behaves as python3 does: same output, same status."""
import os
import subprocess
import sys
import unittest

from runner_test import RunnerTest
from support import PACKAGE_FOLDER


class Runner(RunnerTest):
    def test_output_arguments_and_the_main_module(self):
        self.write("helper.py", "word = 'from the folder of the script'\n")
        path = self.write("script.py", """
            import sys, helper, pickle, inspect
            import torch
            class Thing:
                pass
            print(__name__, __file__, sys.argv, helper.word, __spec__, __package__, __doc__)
            print(type(pickle.loads(pickle.dumps(Thing()))) is Thing, sys.modules["__main__"].Thing is Thing)
            print(inspect.getsource(Thing).split()[0], sys.path[0])
            print(torch.__spec__.loader.__class__.__name__, torch.__loader__ is torch.__spec__.loader)
            """)
        result = self.assert_same(path, "-m", "--steps", "off", "a b")
        self.assertIn("'--steps'", result.stdout)
        self.assert_same(path, options=("--steps", "manual", "--no-shapes"))
        # __file__ is absolute, sys.argv[0] as it was given.
        self.assert_same("script.py")

    def test_status(self):
        for text in ("import sys; sys.exit(7)", "import sys; sys.exit('no')",
                     "import os; os._exit(9)", "raise SystemExit",
                     "import os, signal; os.kill(os.getpid(), signal.SIGKILL)",
                     "raise KeyboardInterrupt",
                     "import atexit; atexit.register(print, 'bye'); import torch"):
            path = self.write("script.py", text)
            self.assert_same(path, stderr="Keyboard" not in text)

    def test_exceptions_look_the_same(self):
        path = self.write("script.py", """
            def fails():
                raise ValueError("seen")
            fails()
            """)
        self.assertIn("ValueError: seen", self.assert_same(path).stderr)
        path = self.write("script.py", "a b\n")
        self.assertIn("SyntaxError", self.assert_same(path, stderr=False).stderr)

    def test_modules_and_folders(self):
        self.write("package/__init__.py", "")
        self.write("package/tool.py",
                   "import sys; from . import other; print(__name__, __package__, __spec__.name, sys.argv)\n")
        self.write("package/other.py", "")
        self.write("package/__main__.py", "print('main of', __package__)\n")
        self.write("folder/__main__.py", "import beside; print(__name__)\n")
        self.write("folder/beside.py", "")
        self.assert_same("-m", "package.tool", "x")
        self.assert_same("-m", "package")
        self.assert_same("folder")

    def test_what_cannot_be_run(self):
        self.assertEqual(self.run_python("-m", "prof_torch", "absent.py").returncode, 2)
        self.assertEqual(self.run_python("-m", "prof_torch", "-m", "absent").returncode, 1)
        self.assertEqual(self.run_python("-m", "prof_torch").returncode, 2)
        self.assertIn("usage: python3 -m prof_torch",
                      self.run_python("-m", "prof_torch", "--help").stdout)

    def test_a_program_without_torch_does_not_import_it(self):
        path = self.write("script.py", "import sys; print('torch' in sys.modules)\n")
        self.assertEqual(self.assert_same(path).stdout, "False\n")

    def test_the_program_may_set_variables_before_torch(self):
        path = self.write("script.py",
                          "import os; os.environ['X'] = '1'; import torch; print(torch.nn.Module)\n")
        self.assert_same(path)

    def test_it_annotates(self):
        path = self.write("script.py", """
            import torch
            model = torch.nn.Sequential(torch.nn.Linear())
            model(1)
            torch.optim.Adam().step()
            print(torch._C.log)
            """)
        self.assertIn("'start step:0', 'push Sequential', 'push layer:0', 'pop', 'pop'",
                      self.run_python("-m", "prof_torch", path).stdout)
        self.assertEqual(self.run_python(path).stdout.count("push"), 0)

    def test_the_folder_of_the_package_can_be_run(self):
        path = self.write("script.py",
                          "import prof_torch, sys; print(prof_torch.is_active(), sys.path[0])\n")
        folder = os.path.join(os.path.abspath(PACKAGE_FOLDER), "prof_torch")
        result = subprocess.run([sys.executable, "-B", folder, path], capture_output=True,
                                text=True, check=True, timeout=120)
        self.assertEqual(result.stdout, "False %s\n" % self.folder)

    def test_processes_of_multiprocessing(self):
        path = self.write("script.py", """
            import multiprocessing, torch
            def work(x):
                return x * 2
            if __name__ == "__main__":
                for method in ("fork", "spawn"):
                    with multiprocessing.get_context(method).Pool(2) as pool:
                        print(pool.map(work, [1, 2, 3]))
            """)
        self.assert_same(path)

    def test_a_torch_that_is_unlike_those_known(self):
        path = self.write("script.py", "import torch; print('goes on')\n")
        self.write("torch.py", "class nn: Module = None\nclass _C: _nvtx = object()\n")
        result = self.run_python("-m", "prof_torch", path)
        self.assertEqual((result.stdout, result.returncode), ("goes on\n", 0))
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.write("torch.py", "class _C: pass\n")
        result = self.run_python("-m", "prof_torch", path)
        self.assertIn("without NVTX", result.stderr)


if __name__ == "__main__":
    unittest.main()
