# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Has prof_torch start as soon as the program has imported torch. site imports this file as
`sitecustomize`, because interpreter.py, which starts the program's interpreter, has put this folder
first on PYTHONPATH. Before the program begins, the variables, sys.path and `sitecustomize` are
those that it would have without.

Imports only what each interpreter has loaded by now or built in: anything else may be a module of
the program, whose folder is not even on sys.path yet.
"""
import atexit
import os
import sys

import _frozen_importlib
import _frozen_importlib_external

_HERE = os.path.dirname(__file__)
_LOADERS = (
    _frozen_importlib_external.SourceFileLoader,
    _frozen_importlib_external.SourcelessFileLoader,
)

# Frames of this file are left out of tracebacks, as the import system's own are.
_HIDDEN = "<frozen importlib._bootstrap_external>"


class OnImport:
    """Between arm() and disarm(), calls `action()` once, on the thread that imports `name`, under
    the module's import lock, after its first execution, regardless of who finds it and how often it
    was looked up before. A failed execution does not count.

    Until then, create_module is wrapped in the loader classes that execute Python files. It is
    called before a module is executed, and gives the loader of `name` an exec_module of its own
    that goes when it is called. Specs and sys.meta_path are unchanged: a finder of ours might never
    be asked (other finders may precede or remove it), and its results would have to look like those
    it replaces."""

    def __init__(self, name, action):
        self._name = name
        self._action = action
        self._wrappers = {}
        self.is_armed = False

    def arm(self):
        self.is_armed = True
        for loader in _LOADERS:
            self._wrappers[loader] = loader.create_module = self._create_with(loader.create_module)

    def disarm(self):
        self.is_armed = False
        for loader, wrapper in self._wrappers.items():
            # Anything the program has since put in its place stays; the wrapper is then inert.
            if vars(loader).get("create_module") is wrapper:
                del loader.create_module
        self._wrappers.clear()

    def _create_with(self, original):
        def create_module(loader, spec):
            if self.is_armed and spec.name == self._name:
                loader.exec_module = self._execute_with(loader)
            return original(loader, spec)

        return _disguised(create_module, original)

    def _execute_with(self, loader):
        def exec_module(module):
            vars(loader).pop("exec_module", None)
            loader.exec_module(module)
            # A copy that `import` does not return does not count.
            if self.is_armed and sys.modules.get(self._name) is not None:
                self.disarm()
                self._action()

        return _disguised(exec_module, type(loader).exec_module)


def _disguised(function, original):
    function.__code__ = function.__code__.replace(co_filename=_HIDDEN)
    for name in ("__module__", "__qualname__", "__doc__"):
        setattr(function, name, getattr(original, name))
    return function


class Program:
    """Annotates the program from its import of torch to its last exit handler."""

    def __init__(self, options):
        self._options = options
        self._on_import = OnImport("torch", self._start)
        self._package = None  # prof_torch, once it is started
        try:
            self._stderr = os.fstat(2)
        except OSError:
            self._stderr = None

    def begin(self):
        atexit.register(self._end)  # The first one is called last.
        if "torch" in sys.modules:
            self._start()
        else:
            self._on_import.arm()

    def _start(self):
        try:
            self._package = self._load_package()
            self._package.start(**self._options)
        except Exception as error:  # an unsupported torch: the program continues
            self._say("cannot start, nothing is annotated: %r" % error)

    def _end(self):
        if self._package is not None:
            self._package.stop()
        elif self._on_import.is_armed:
            self._on_import.disarm()
            # A module of that name alone may be a stub.
            if hasattr(sys.modules.get("torch"), "nn") and not self._load_package().was_started():
                self._say(
                    "the program's import of torch was not detected, nothing is annotated; "
                    "call prof_torch.start() in the program, after `import torch`"
                )

    def _load_package(self):
        """The package that this file belongs to, or the one that the program has imported."""
        package = sys.modules.get("prof_torch")
        if package is None:
            folder = os.path.dirname(_HERE)
            spec = _frozen_importlib_external.spec_from_file_location(
                "prof_torch", folder + "/__init__.py", submodule_search_locations=[folder]
            )
            package = sys.modules["prof_torch"] = _frozen_importlib.module_from_spec(spec)
            spec.loader.exec_module(package)
        from prof_torch.messages import set_stderr

        set_stderr(self._stderr)
        return package

    @staticmethod
    def _say(text):
        try:
            from prof_torch.messages import print_message

            print_message(text)
        except Exception:  # It is that which cannot be imported.
            pass


def _value_of(word):
    return int(word) if word.isdigit() else {"True": True, "False": False}.get(word, word)


def _take_options():
    """What __main__.py has left in the environment, which is then as the program is to find it."""
    words = os.environ.pop("PROF_TORCH_OPTIONS").split()
    search_path = os.environ.pop("PROF_TORCH_PYTHONPATH", None)
    if search_path is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = search_path
    sys.path.remove(_HERE)
    sys.path_importer_cache.pop(_HERE, None)
    return {name: _value_of(value) for name, value in (word.split("=") for word in words)}


if "PROF_TORCH_OPTIONS" in os.environ:
    Program(_take_options()).begin()
del sys.modules["sitecustomize"]
# That of the machine; if it has none, site expects the error.
import sitecustomize  # noqa: E402 F401
