# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Runs a program in this interpreter, as if python3 itself had been given it."""
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types


def start_with_torch(options):
    """Starts the annotation as soon as the program has imported torch; a program that never does sees
    nothing of it, and may set what torch reads from the environment first."""
    if "torch" in sys.modules:
        _start(options)
    else:
        sys.meta_path.insert(0, _TorchFinder(options))


def run(command, is_module):
    """Runs `command` (a script's path or a module's name, then its arguments) as __main__. Ends by
    SystemExit where the program does, or where it ends by an exception."""
    sys.argv = command
    try:
        code, main = _load_module(command[0]) if is_module else _load_script(command[0])
        sys.modules["__main__"] = main
        exec(code, main.__dict__)
    except Exception as error:
        # Told like the interpreter tells it, without this frame.
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)
    finally:
        _stop()


def _set_first_path(folder):
    if not getattr(sys.flags, "safe_path", False):  # python3 -P: there is no such entry
        sys.path[0] = folder


def _load_script(path):
    if os.path.isdir(path):  # a folder or an archive with a __main__.py
        _set_first_path(path)
        return _load_module("__main__")
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    path = os.path.abspath(path)
    main = _main_module(path, None)
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print("prof_torch: can't open %s: %s" % (path, error.strerror), file=sys.stderr)
        sys.exit(2)
    return compile(source, path, "exec"), main


def _load_module(name):
    if name == "__main__":
        # The module of that name that is loaded is ours.
        spec = importlib.machinery.PathFinder.find_spec(name, sys.path[:1])
    else:
        _set_first_path(os.getcwd())
    try:
        if name != "__main__":
            spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(name + ".__main__")
        code = spec.loader.get_code(spec.name)
    except (ImportError, AttributeError) as error:
        print("prof_torch: no module %s that can be run (%s)" % (name, error), file=sys.stderr)
        sys.exit(1)
    sys.argv[0] = spec.origin
    return code, _main_module(spec.origin, spec)


def _main_module(path, spec):
    main = types.ModuleType("__main__")
    main.__file__ = path
    main.__spec__ = spec
    main.__builtins__ = __builtins__
    if spec is not None:
        main.__package__ = spec.parent
        main.__loader__ = spec.loader
    else:
        main.__package__ = None
        main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    return main


def _start(options):
    import prof_torch

    try:
        prof_torch.start(**options)
    except Exception as error:  # a torch that is unlike those we know: the program goes on
        print("prof_torch: could not start, nothing is annotated: %r" % error, file=sys.stderr)


def _stop():
    import prof_torch

    prof_torch.stop()


class _TorchFinder(importlib.abc.MetaPathFinder):
    """Finds torch as the finders after it do, and starts the annotation when it has been loaded."""

    def __init__(self, options):
        self._options = options

    def find_spec(self, name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _StartingLoader(spec.loader, self._options)
        return spec


class _StartingLoader(importlib.abc.Loader):
    def __init__(self, loader, options):
        self._loader = loader
        self._options = options

    def __getattr__(self, name):  # get_source and the like
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        _start(self._options)
