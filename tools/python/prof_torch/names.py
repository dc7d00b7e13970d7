# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Qualified names of modules, as in `named_modules()`, and the range text of each.

A model is registered at its first call: the outermost module called is a root, and everything below
it is named in one walk. Wrappers (DistributedDataParallel, torch.compile, ...) have no name of
their own: a model has the same names with and without them.
"""
import weakref

from .compiled import is_generated

PREFIX = "layer:"

#: Classes that only wrap a module, and the attribute that holds it.
WRAPPERS = {
    "DataParallel": "module",
    "DistributedDataParallel": "module",
    "FullyShardedDataParallel": "_fsdp_wrapped_module",
    "CheckpointWrapper": "_checkpoint_wrapped_module",
    "OffloadWrapper": "_checkpoint_wrapped_module",
    "OptimizedModule": "_orig_mod",
}

#: Wrappers that may hide the module's own call: they get its range.
COMPILED = "OptimizedModule"

#: A module that occurs in a tree more often than this keeps the first names.
MAX_NAMES = 16

#: The default for keys missing in `texts`.
UNKNOWN = object()


def wrapped_attribute(module):
    """The attribute that holds what `module` wraps, or None if it is not a wrapper."""
    for base in type(module).__mro__:
        attribute = WRAPPERS.get(base.__name__)
        if attribute is not None and attribute in module._modules:
            return attribute
    return None


def unwrap(module):
    """The module inside all wrappers."""
    while wrapped_attribute(module) is not None:
        module = module._modules[wrapped_attribute(module)]
    return module


def join(parent, child):
    return parent + "." + child if parent else child


class SharedNames:
    """The names of a module that occurs in the tree several times."""

    def __init__(self, names):
        self.names = names

    def under(self, enclosing):
        """The text of the name that continues `enclosing`, otherwise of the first one."""
        start = enclosing + "." if enclosing else ""
        for name in self.names:
            if name.startswith(start):
                return PREFIX + name
        return PREFIX + self.names[0]


class ModuleNames:
    """`texts` maps a module's id to its range text; None for a wrapper and for a module that a
    compiler made; SharedNames for a module with several names. A module and its torch.compile
    version share the same string object. Entries are removed with their module. Callers hold the
    interpreter lock; two threads that name the same module at once get the same result."""

    def __init__(self):
        self.texts = {}
        self._references = {}  # by id: a weak reference whose callback removes the entry
        self._unprefixed = None  # weak reference to the root whose children have bare names
        self._roots = {}  # by name: weak reference to the root that has it
        self._replicated = {}  # by class wrapped in DataParallel: its name

    def attach(self, model, name=None):
        """Makes `model` a root. Without a name, the names below it are those of its
        named_modules()."""
        if name is None:
            self._unprefixed = weakref.ref(model)
        self._walk(model, name or "", replace=True)

    def resolve(self, module, enclosing_module, enclosing_text):
        """The text of a module for which `texts` has no single string. `enclosing_*` belong to the
        innermost module being called (a wrapper uses those around it), None if there is none."""
        entry = self.texts.get(id(module), UNKNOWN)
        enclosing = self._name_of(enclosing_text)
        if entry is UNKNOWN:
            if is_generated(unwrap(module)):
                self._remember(module, None)
                return None
            if enclosing_text is None:
                self._add_root(module)
            else:
                self._add_inner(module, enclosing_module, enclosing)
            entry = self.texts.get(id(module))
        return entry.under(enclosing) if isinstance(entry, SharedNames) else entry

    @staticmethod
    def _name_of(text):
        # A text without the prefix is the unprefixed root's.
        return text[len(PREFIX) :] if text is not None and text.startswith(PREFIX) else ""

    def _add_root(self, module):
        if getattr(module, "_is_replica", False):  # DataParallel creates new ones for every call
            self._walk(
                module, self._replicated.get(type(module), type(module).__name__), replace=True
            )
            return
        self._walk(module, self._root_name(unwrap(module)), replace=True)

    def _root_name(self, module):
        """The first model's name is empty; other roots are distinguished by class."""
        kind = type(module).__name__
        if not module._modules:  # a loss, an activation: often recreated for every call
            return kind
        first = self._unprefixed() if self._unprefixed is not None else None
        if first is None or any(part is first for part in module.modules()):
            self._unprefixed = weakref.ref(module)
            return ""
        name, count = kind, 1
        while self._roots.get(name, lambda: None)() not in (None, module):
            count += 1
            name = "%s#%d" % (kind, count)
        self._roots[name] = weakref.ref(module)
        return name

    def _add_inner(self, module, enclosing_module, enclosing):
        """A module that was absent when its model was walked: added later, or in no tree at all."""
        self._walk(enclosing_module, enclosing, replace=False)
        if id(module) not in self.texts:
            self._walk(module, join(enclosing, type(module).__name__), replace=False)

    def _walk(self, root, name, replace):
        found = {}  # by id: (module, names), in the order of named_modules()
        pending = [(root, name)]
        while pending:
            module, name = pending.pop()
            names = found.setdefault(id(module), (module, []))[1]
            if name in names or len(names) >= MAX_NAMES:
                continue
            names.append(name)
            wrapped = wrapped_attribute(module)
            for child_name, child in reversed(list(module._modules.items())):
                if child is None:
                    continue
                if child_name == wrapped:
                    pending.append((child, name))
                    if wrapped == "module":
                        self._replicated[type(child)] = name
                else:
                    pending.append((child, join(name, child_name)))
        compiled = []
        for module, names in found.values():
            if replace or id(module) not in self.texts:
                self._remember(module, self._entry(module, names))
                if type(module).__name__ == COMPILED:
                    compiled.append(module)
        for module in compiled:
            self.texts[id(module)] = self.texts[id(unwrap(module))]

    @staticmethod
    def _entry(module, names):
        if wrapped_attribute(module) is not None:
            return None
        if len(names) > 1:
            return SharedNames(names)
        # A plain range, so that names below it stand alone: plain names without a layer form a
        # path, too.
        return PREFIX + names[0] if names[0] else type(module).__name__

    def _remember(self, module, entry):
        key = id(module)
        known = self._references.get(key)
        if known is None or known() is not module:
            self._references[key] = weakref.ref(module, self._forgetter(key))
        self.texts[key] = entry

    def _forgetter(self, key):
        def forget(reference):
            if self._references.get(key) is reference:  # the id may belong to a new module by now
                del self._references[key]
                self.texts.pop(key, None)

        return forget
