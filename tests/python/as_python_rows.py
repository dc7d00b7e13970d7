# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Programs that run with and without prof_torch: what each is made of, and how python3 is told to
run it."""

#: Prints what a program can see of how it was started, and of what is around it.
PROBE = r"""
import os, sys
main = sys.modules["__main__"]
found = dict(vars(main))
frames, frame = [], sys._getframe()
while frame is not None:
    frames.append((frame.f_code.co_filename, frame.f_code.co_name))
    frame = frame.f_back
def show(name, value):
    print(name, value, sep=" = ")
for name in ("__name__", "__file__", "__package__", "__doc__", "__cached__", "__annotations__"):
    show(name, found.get(name, "absent"))
spec = found["__spec__"]
show("spec", spec and (spec.name, spec.origin, spec.parent, spec.cached))
show("loader", (found["__loader__"] if isinstance(found["__loader__"], type)
                else type(found["__loader__"]), found["__builtins__"] is sys.modules["builtins"]))
show("globals", list(found))
show("frames", frames)
for name in ("argv", "orig_argv", "path", "flags", "warnoptions", "_xoptions", "executable",
             "prefix", "dont_write_bytecode", "excepthook", "displayhook"):
    show("sys." + name, getattr(sys, name, None))
show("modules", sorted(set(sys.modules) - {"atexit"}))
show("finders", [getattr(finder, "__name__", type(finder)) for finder in sys.meta_path])
show("hooks", len(sys.path_hooks))
show("importers", sorted(sys.path_importer_cache))
show("variables", list(os.environ.items()))
show("streams", [(s.encoding, s.errors, s.line_buffering) for s in (sys.stdin, sys.stdout)])
show("descriptors", sorted(os.listdir("/proc/self/fd")))
with open("/proc/self/cmdline") as file: show("command line", file.read().split("\0"))
with open("/proc/self/comm") as file: show("name", file.read())
with open("/proc/self/status") as file:
    show("signals", [line for line in file if line.startswith("Sig") and "SigQ" not in line])
def depth(n):
    try: return depth(n + 1)
    except RecursionError: return n
show("depth", depth(0))
"""


class Link(str):
    """A file that is a symbolic link to this path."""


class Compiled(str):
    """A file with the code of this source."""


class Row:
    """`command`: what follows python3. `options`: of python3, before that. `shell`: of bash, on the
    line before python3 is executed. `by_path`: prof_torch is run as a folder, as it is where
    python3 does not read PYTHONPATH."""

    def __init__(
        self,
        name,
        *command,
        files=(),
        options=(),
        variables=(),
        stdin="",
        shell="",
        since=(3, 8),
        by_path=False,
        says=None
    ):
        self.name = name
        self.command = command or ("p.py",)
        self.files = {"p.py": files} if isinstance(files, (str, bytes)) else dict(files)
        self.options = options
        self.variables = dict(variables)
        self.stdin = stdin
        self.shell = shell
        self.since = since
        self.by_path = by_path
        self.says = says  # a line of prof_torch


def _programs(text):
    """A row for each part of the text: a name after ###, then the program."""
    parts = [part.partition("\n") for part in text.split("### ")[1:]]
    return [Row(name, files=source) for name, _, source in parts]


_EVERYWHERE = {
    "p.py": PROBE,
    "package/__init__.py": "",
    "package/__main__.py": PROBE,
    "package/tool.py": "from . import __main__\n" + PROBE,
    "folder/__main__.py": PROBE,
}

STARTS = [
    Row("script", "p.py", "a b", "--steps", "--", "-m", "", files=_EVERYWHERE),
    Row("script, by a longer path", "./folder/../p.py", files=_EVERYWHERE),
    Row(
        "script that is a link",
        "link/p.py",
        files={"real/q.py": PROBE, "link/p.py": Link("../real/q.py")},
    ),
    Row("folder that is a link", "link/p.py", files={"real/p.py": PROBE, "link": Link("real")}),
    Row("folder", "folder", "x", files=_EVERYWHERE),
    Row("folder of here", ".", files={"__main__.py": PROBE}),
    Row("archive", "z.pyz", "x", files={"z.pyz": {"__main__.py": PROBE}}),
    Row(
        "archive with a module",
        "z.zip",
        files={"z.zip": {"__main__.py": "import m\n" + PROBE, "m.py": "x = 1"}},
    ),
    Row("compiled", "p.pyc", "x", files={"p.pyc": Compiled(PROBE)}),
    Row("module", "-m", "package.tool", "x", "-m", files=_EVERYWHERE),
    Row("module, in one word", "-mpackage.tool", "x", files=_EVERYWHERE),
    Row("package", "-m", "package", files=_EVERYWHERE),
    Row(
        "module of the standard library",
        "-m",
        "timeit",
        "-n1",
        "-r1",
        "-s",
        "print(1)",
        "pass",
        shell="exec >/dev/null;",
    ),
    Row("module that runs another", "-m", "trace", "--trace", "q.py", files={"q.py": "x = 1\n"}),
    Row("code", "-c", PROBE, "-c", "x"),
    Row("code, in one word", "-c" + PROBE, "x"),
    Row("stdin", "-", "x", "-y", stdin=PROBE),
    Row("stdin that the program reads", files="print(input(), input())", stdin="a\nb\n"),
    Row("extensionless", "p", files={"p": PROBE}),
    Row("script without an end of line, with \\r\\n", files=b"import sys\r\nprint(sys.argv)"),
]

_OPTIONS = (
    "-O",
    "-OO",
    "-u",
    "-B",
    "-b",
    "-bb",
    "-s",
    "-q",
    "-d",
    "-W error",
    "-Wignore",
    "-X dev",
    "-X utf8",
    "-Xfaulthandler",
    "-X tracemalloc=3",
    "-x",
    "-R",
    "-uB -X m",
)

_VARIABLES = (
    "PYTHONSAFEPATH=1",
    "PYTHONNOUSERSITE=1",
    "PYTHONOPTIMIZE=1",
    "PYTHONUNBUFFERED=1",
    "PYTHONUTF8=1",
    "PYTHONWARNINGS=error",
    "PYTHONDEVMODE=1",
    "PYTHONHASHSEED=0",
    "PYTHONIOENCODING=latin-1",
    "LC_ALL=C",
    "LC_ALL= LANG=C",
    "PROF_TORCH=1",
    "LC_ALL= LANG=C PYTHONCOERCECLOCALE=0",
)

OPTIONS = [
    *(Row("python3 " + options, options=options.split(), files=PROBE) for options in _OPTIONS),
    *(
        Row(variables, files=PROBE, variables=[word.split("=") for word in variables.split()])
        for variables in _VARIABLES
    ),
    Row("python3 -P", options=("-P",), files=PROBE, since=(3, 11)),
    Row("python3 -P -m", "-m", "package", options=("-P",), files=_EVERYWHERE, since=(3, 11)),
    Row(
        "python3 -X frozen_modules=off",
        options=("-X", "frozen_modules=off"),
        files=PROBE,
        since=(3, 11),
    ),
    *(
        Row(
            "python3 " + option,
            options=(option,),
            files=PROBE,
            by_path=True,
            says="prof_torch: nothing is annotated, since with -",
        )
        for option in ("-I", "-E", "-S", "-IS", "-Es")
    ),
    Row("python3 -i", options=("-i",), files="x = 1", stdin="x + 1\n"),
    Row(
        "python3 -i, an exception",
        options=("-i",),
        files="1 / 0",
        stdin="import sys; sys.last_value\n",
    ),
    Row("python3 by its path", files=PROBE, by_path=True),
    Row(
        "a sitecustomize of the user's",
        variables={"EXTRA_PATH": "own"},
        files={
            "p.py": "import sitecustomize\nprint(sitecustomize.me, sitecustomize.__file__)\n"
            + PROBE,
            "own/sitecustomize.py": "me = 1",
        },
    ),
    Row(
        "sitecustomize of the program's",
        files={
            "p.py": "import sitecustomize; print(sitecustomize)",
            "sitecustomize.py": "print('own')",
        },
    ),
    Row(
        "descriptors, signals, limits",
        files=PROBE,
        shell="exec 7</dev/null; trap '' INT USR1; ulimit -n 50; umask 077",
    ),
    Row(
        "stderr closed",
        files="import sys, torch; print(sys.stderr); sys.exit(3)",
        shell="exec 2>&-",
    ),
    Row(
        "no stream open",
        files="import os; os._exit(len(os.listdir('/proc/self/fd')))",
        shell="exec <&- >&- 2>&-",
    ),
]

ENDS = [
    Row(text, files=text)
    for text in (
        "import sys; sys.exit(7)",
        "import sys; sys.exit('no')",
        "import sys; sys.exit(None)",
        "exit(4)",
        "import sys; sys.exit((1, 2))",
        "import sys; sys.exit(256)",
        "import sys; sys.exit(-1)",
        "import sys; sys.exit(2**70)",
        "import sys; sys.exit(True)",
        "import sys; sys.exit(3.5)",
        "raise SystemExit",
        "raise SystemExit(SystemExit(9))",
        "raise KeyboardInterrupt",
        "raise BaseException('b')",
        "raise GeneratorExit",
        "import os; os._exit(9)",
        "import os; os.abort()",
        "import os; os.kill(os.getpid(), 9)",
        "import os; os.kill(os.getpid(), 15)",
        "import os; os.kill(os.getpid(), 2)",
        "import os; os.execlp('echo', 'echo', 'another')",
        "import os; os.close(1); print(1)",
        "import sys; sys.stdout.close()",
        "import sys; sys.stderr = None; 1 / 0",
        "import sys; sys.excepthook = lambda *e: print('hook', e[0], e[2].tb_next); 1 / 0",
        "import sys; sys.excepthook = lambda *e: 1 / 0; []['x']",
        "import sys; del sys.excepthook; 1 / 0",
        "import atexit, sys; atexit.register(print, 'bye'); sys.exit(5)",
        "import atexit; atexit.register(lambda: 1 / 0); import torch",
        "import atexit, os; atexit.register(os._exit, 6); import torch",
        "import atexit; atexit._clear(); import torch; print(1)",
    )
]
ENDS += _programs(
    r"""
### SIGINT as the system has it
import os, signal
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGINT)
### a destructor
import sys
class A:
    def __del__(self): print('gone', sys.is_finalizing())
a = A()
### an exception of a thread
import threading
def f(): 1 / 0
threading.Thread(target=f, name='T').start()
### a thread that outlives main
import threading, time
threading.Thread(target=lambda: (time.sleep(.2), print('late'))).start()
print('end')
### a daemon
import threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print('end')
"""
)

TRACEBACKS = _programs(
    r"""
### frames
def f():
    raise ValueError('seen')
f()
### a chain
try:
    1 / 0
except Exception as e:
    raise KeyError('x') from e
### a group
raise ExceptionGroup('g', [ValueError(1), KeyError(2)])
### recursion
def f(): f()
f()
### traceback.print_stack
import traceback
def f(): traceback.print_stack()
f()
### inspect.stack
import inspect
print([(f.filename, f.function) for f in inspect.stack()])
### faulthandler
import faulthandler
faulthandler.dump_traceback()
### a crash
import faulthandler, os
faulthandler.enable()
os.abort()
### warnings
import warnings
warnings.warn('w', stacklevel=2)
warnings.warn('v', stacklevel=9)
### the last exception
import atexit, sys
atexit.register(lambda: print(sys.last_type, sys.last_traceback.tb_next))
1 / 0
### the source of a class
import inspect
class A:
    x = 1
print(inspect.getsource(A))
### syntax
def f(:
### indentation
if 1:
x
### an import that is not there
import there_is_no_such_module
"""
)
TRACEBACKS += [
    Row("a null byte", files=b"x = 1\n\0\n"),
    Row("an import", files={"p.py": "import m", "m.py": "def deep():\n    1 / 0\ndeep()\n"}),
    Row(
        "an import's stack",
        files={"p.py": "import m", "m.py": "import traceback; traceback.print_stack()"},
    ),
    Row("syntax of an import", files={"p.py": "import m", "m.py": "a b\n"}),
    Row(
        "a torch that fails",
        files={"p.py": "import torch", "torch/__init__.py": "import m", "m.py": "1 / 0"},
    ),
    Row("a module", "-m", "m", files={"m.py": "1 / 0\n"}),
    Row("code", "-c", "def f(): 1 / 0\nf()"),
    Row("stdin", "-", stdin="def f(): 1 / 0\nf()\n"),
    Row("a folder", "f", files={"f/__main__.py": "1 / 0"}),
    Row("an archive", "z.pyz", files={"z.pyz": {"__main__.py": "1 / 0\n"}}),
    Row("no file", "absent.py"),
    Row("no module", "-m", "absent"),
    Row("no word for -m", "-m"),
    Row("a package without __main__", "-m", "p", files={"p/__init__.py": ""}),
    Row("a package that fails", "-m", "p.q", files={"p/__init__.py": "1 / 0"}),
    Row("a folder without __main__", "f", files={"f/x.py": ""}),
    Row("an empty file", files=""),
    Row("not readable as anything", "p", files={"p": bytes(range(256))}),
    Row("no archive", "z.zip", files={"z.zip": b"PK\3\4 but no more"}),
]

MAIN_MODULES = [
    Row("an encoding", files=b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n"),
    Row("an encoding that is not there", files=b"# coding: no-such\n"),
    Row("not UTF-8", files=b"# \xff\nprint(1)\n"),
    Row("a mark at the begin", files=b"\xef\xbb\xbfprint(ascii('\xc3\xa9'))\n"),
    Row("UTF-16", files="print(1)\n".encode("utf-16")),
    Row("form feeds, tabs", files=b"\x0cif 1:\n\tprint(1)\n"),
    Row(
        "runpy itself",
        files={
            "p.py": "import runpy\nprint(sorted(runpy.run_path('q.py')))\n",
            "q.py": "x = __name__\n",
        },
    ),
    Row("importing itself", files="import p\nprint(__name__)\n"),
]
MAIN_MODULES += _programs(
    r"""
### annotations
x: int = 1
y: 'undefined'
print(__annotations__, __cached__, vars().keys())
### annotations later
from __future__ import annotations
x: no = 1
print(__annotations__)
### sys.modules.clear()
import sys, torch
sys.modules.clear()
print(1)
### sys.modules.clear() without torch
import sys
sys.modules.clear()
print(1)
### its module goes
import sys
del sys.modules['__main__']
print(__name__, sys.argv)
### its module changes
import sys, types
sys.modules['__main__'] = types.ModuleType('m')
print(x := 1)
### its globals go
import torch
globals().clear()
### import __main__
import __main__
print(__main__.__dict__ is globals())
### if __name__
if __name__ == '__main__': print(1)
### pickle
import pickle
class A: pass
print(pickle.dumps(A()), type(pickle.loads(pickle.dumps(A()))) is A)
### dataclasses, typing
import dataclasses, typing
@dataclasses.dataclass
class A:
    x: 'A'
print(typing.get_type_hints(A))
### doctest
__doc__ = '>>> 1 + 1\n3\n'
import doctest
print(doctest.testmod())
### unittest.main
import io, unittest
class T(unittest.TestCase):
    def test(self): self.assertEqual(1, 1)
runner = unittest.TextTestRunner(stream=io.StringIO())
print(unittest.main(argv=['x'], exit=False, testRunner=runner).result)
### settrace
import sys
names = []
sys.settrace(lambda frame, event, argument: names.append(frame.f_code.co_name))
import json.tool
print(names[:9])
"""
)

_WORK = """
import multiprocessing, sys, torch
class Thing:
    pass
def work(x):
    main = sys.modules["__main__"]
    return (x, __name__, main.__name__, "__mp_main__" in sys.modules, type(Thing()).__module__,
            sys.argv, sys.path[0], sorted(vars(main))[:4], sys.flags.optimize)
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print(pool.map(work, [1, 2]), pool.apply(type, (Thing(),)))
"""

PROCESSES = [
    *(
        Row(
            "%s, %s" % (method, command[-1]),
            *command,
            method,
            files={"p.py": _WORK, "package/__init__.py": "", "package/tool.py": _WORK}
        )
        for method in ("fork", "spawn", "forkserver")
        for command in (("p.py",), ("-m", "package.tool"))
    ),
    Row("spawn, -O", "p.py", "spawn", options=("-O",), files=_WORK),
]
PROCESSES += _programs(
    r"""
### another python3
import subprocess, sys
code = 'import os, sys; print(sys.path, os.environ)'
print(subprocess.check_output([sys.executable, '-c', code]))
### fork
import os, torch
pid = os.fork()
if not pid: raise SystemExit(3)
print(os.waitpid(pid, 0)[1])
### python3 again
import os, sys
if len(sys.argv) < 9: os.execv(sys.executable, [sys.executable, *sys.argv, 'x'])
print(sys.argv)
"""
)

#: What programs have called a module of their own, though it is one of the standard library's.
OWN_NAMES = [
    "signal",
    "select",
    "json",
    "argparse",
    "locale",
    "gettext",
    "ctypes",
    "types",
    "operator",
    "functools",
    "threading",
    "enum",
    "weakref",
    "contextlib",
    "re",
    "typing",
    "collections",
    "runpy",
    "importlib",
    "subprocess",
    "string",
    "random",
    "logging",
    "copy",
    "queue",
    "token",
    "tokenize",
    "inspect",
    "warnings",
    "usercustomize",
    "at_start",
    "prof_trace",
]
