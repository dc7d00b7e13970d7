# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Runs a program in this interpreter, as python3 itself would."""
import importlib.machinery
import importlib.util
import os
import sys
import types

from .on_import import OnImport
from .messages import print_message

_torch_import = None


def start_with_torch(options):
    """Starts annotating as soon as the program has imported torch; a program that never does is
    unaffected, and may first set environment variables that torch reads."""
    global _torch_import
    if "torch" in sys.modules:
        _start(options)
    else:
        _torch_import = OnImport("torch", lambda: _start(options))
        _torch_import.arm()


def run(command, is_module):
    """Runs `command` (a script's path or a module's name, then its arguments) as __main__. Raises
    SystemExit if the program does, or if it ends with an exception."""
    sys.argv = command
    try:
        code, main = _load_module(command[0]) if is_module else _load_script(command[0])
        sys.modules["__main__"] = main
        exec(code, main.__dict__)
    except Exception as error:
        # Reported as the interpreter does, without this frame.
        error.__traceback__ = error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)
    finally:
        _stop()


def _set_first_path(folder):
    if not getattr(sys.flags, "safe_path", False):  # python3 -P has no such entry
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
        print_message("can't open %s: %s" % (path, error.strerror))
        sys.exit(2)
    return compile(source, path, "exec"), main


def _load_module(name):
    if name == "__main__":
        # The loaded module of that name is ours.
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
        print_message("cannot run module %s (%s)" % (name, error))
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
    except Exception as error:  # an unsupported torch: the program continues
        print_message("cannot start, nothing is annotated: %r" % error)


def _stop():
    import prof_torch

    if _torch_import is not None and _torch_import.is_armed:
        _torch_import.disarm()
        # A module of that name alone may be a stub.
        if hasattr(sys.modules.get("torch"), "nn") and not prof_torch.was_started():
            print_message("the program's import of torch was not detected, nothing is annotated; "
                          "call prof_torch.start() in the program, after `import torch`")
    prof_torch.stop()
