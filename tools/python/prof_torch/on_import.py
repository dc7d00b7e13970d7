# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Calls a function when a module has been executed for the first time, whoever finds it and however often
it is looked for before.

The loaders' exec_module is wrapped, in the classes that execute Python files, until then. Specs, loaders
and sys.meta_path stay what they are: a finder of ours would have to be asked (other finders may come
before it, or remove it), and what it gives would have to look like what it replaces.
"""
import importlib.machinery
import sys

_LOADERS = (importlib.machinery.SourceFileLoader, importlib.machinery.SourcelessFileLoader)

# Frames of this file are left out of tracebacks, as the import system's own are.
_HIDDEN = "<frozen importlib._bootstrap_external>"


class OnImport:
    """Between arm() and disarm(), calls `action()` once, on the thread that imports `name`, under the
    module's import lock. An execution that fails does not count."""

    def __init__(self, name, action):
        self._name = name
        self._action = action
        self._wrappers = {}
        self.is_armed = False

    def arm(self):
        self.is_armed = True
        for loader in _LOADERS:
            self._wrappers[loader] = loader.exec_module = self._wrapper_of(loader.exec_module)

    def disarm(self):
        self.is_armed = False
        for loader, wrapper in self._wrappers.items():
            # What the program has put in its place since then stays; the wrapper does nothing any more.
            if vars(loader).get("exec_module") is wrapper:
                del loader.exec_module
        self._wrappers.clear()

    def _wrapper_of(self, original):
        def exec_module(loader, module):
            original(loader, module)
            if self.is_armed and module.__name__ == self._name:
                self._executed()

        exec_module.__code__ = exec_module.__code__.replace(co_filename=_HIDDEN)
        exec_module.__qualname__, exec_module.__doc__ = original.__qualname__, original.__doc__
        return exec_module

    def _executed(self):
        if sys.modules.get(self._name) is None:  # A copy that `import` does not give.
            return
        self.disarm()
        self._action()
