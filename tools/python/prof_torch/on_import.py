# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Calls a function after a module is first executed, regardless of who finds it and how often it
was looked up before.

Until then, exec_module is wrapped in the loader classes that execute Python files. Specs, loaders
and sys.meta_path are unchanged: a finder of ours might never be asked (other finders may precede or
remove it), and its results would have to look like those it replaces.
"""
import importlib.machinery
import sys

_LOADERS = (importlib.machinery.SourceFileLoader, importlib.machinery.SourcelessFileLoader)

# Frames of this file are left out of tracebacks, as the import system's own are.
_HIDDEN = "<frozen importlib._bootstrap_external>"


class OnImport:
    """Between arm() and disarm(), calls `action()` once, on the thread that imports `name`, under
    the module's import lock. A failed execution does not count."""

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
            # Anything the program has since put in its place stays; the wrapper is then inert.
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
        if sys.modules.get(self._name) is None:  # A copy that `import` does not return.
            return
        self.disarm()
        self._action()
