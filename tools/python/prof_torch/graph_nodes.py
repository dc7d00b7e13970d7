# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""What the nodes of a compiler's graphs are. Two tables, as JSON (docs/graphs.md):

Dynamo's, of one compilation: the module, function and source line of each call, in the order in
which they run. What a higher-order op runs (a checkpointed block, say) stands before it, so that a
name may occur several times.
AOTAutograd's, of one graph that Inductor compiles: which of Dynamo's nodes each one comes from. It
is also kept in a file beside Inductor's cache: a later process that finds the graph there never
sees its nodes.

Only names are read, never the values of tensors.
"""
import os
import re
import sys

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')

#: Every optimizer is a file of its own.
_OPTIMIZER = re.compile(r'/torch/optim/(?!optimizer\.py|lr_scheduler\.py)(\w+)\.py"')

#: A step of a path to a module: .name, ['name'], [0].
_STEP = re.compile(r"(?:^|\.)(\w+)|\[['\"]?([^\]'\"]*)['\"]?\]")

#: Higher-order ops in each other.
_MAX_DEPTH = 16

#: From a module to itself, by its method that somebody has wrapped.
_METHOD = re.compile(r"\.\w*forward\b.*?\.__self__\b")

#: A module that a function has in its closure is a root.
_CLOSURE = re.compile(r"^.*\.cell_contents\b")

#: In generated code: "arg0_1, arg1_1 = args", and "s33 = arg0_1".
_INPUTS = re.compile(r"^ +((?:\w+, ?)*\w*) = args$", re.MULTILINE)
_SYMBOL = re.compile(r"^ +(s\d+) = (\w+)$", re.MULTILINE)

#: Parts of such a path that are no names of modules.
_NO_NAMES = ("_modules", "_orig_mod", "__self__")


def of_dynamo(graph):
    nodes = []
    for node in _calls(graph, 0):
        path, kind = _module_of(node)
        where, line = _lines_of(node)
        entry = {
            "name": node.name,
            "path": path,
            "class": kind,
            "target": _name_of(node.target),
            "where": where,
            "line": line,
            "optimizer": _optimizer_of(node),
        }
        nodes.append({word: text for word, text in entry.items() if text})
    return {"nodes": nodes}


def _calls(graph, depth):
    modules = {}
    for node in graph.nodes:
        if node.op == "get_attr":
            modules[node] = getattr(getattr(graph, "owning_module", None), str(node.target), None)
        if node.op in ("placeholder", "output", "get_attr"):
            continue
        for argument in getattr(node, "all_input_nodes", ()):
            body = getattr(modules.get(argument), "graph", None)
            if body is not None and depth < _MAX_DEPTH:
                yield from _calls(body, depth + 1)
        yield node


class Sources:
    """Dynamo's nodes, for those of AOTAutograd that come from them. `nodes`: of_dynamo()."""

    def __init__(self, nodes=()):
        self._paths = {}  # by name: the modules of the calls of that name, in order
        for node in nodes:
            self._paths.setdefault(node["name"], []).append(node.get("path", ""))
        self._of_forward = {}  # by sequence number: what its forward node comes from

    def of(self, node):
        """What the node comes from, as words of its entry."""
        meta = node.meta
        number = meta.get("seq_nr")
        if meta.get("partitioner_tag") == "is_backward":
            known = None if meta.get("is_gradient_acc") else self._of_forward.get(number)
            return dict(known or {}, dir="bprop")
        origin = meta.get("from_node")
        if not origin:
            return dict(self._of_forward.get(number) or {})
        found = {"source": origin[0].name}
        paths = self._paths.get(origin[0].name, ())
        path = _module_of(node)[0]
        if len(paths) > 1 and path in paths:
            found["nth"] = paths.index(path)
        if number is not None:
            self._of_forward.setdefault(number, found)
        return found


def of_aot(graph, sources):
    """`sources` learns of the forward graph what it needs for the backward one."""
    nodes = []
    for node in graph.nodes:
        if node.op not in ("placeholder", "output"):
            nodes.append(dict(sources.of(node), name=node.name))
    return _with_recomputed(nodes)


def _with_recomputed(nodes):
    """In a backward graph, what is no gradient is computed again."""
    if any("dir" in node for node in nodes):
        for node in nodes:
            if "dir" not in node and "source" in node:
                node["recompute"] = True
    return {"nodes": nodes}


def _module_of(node):
    stack = node.meta.get("nn_module_stack")
    if not stack:
        return "", ""
    path, kind = list(stack.values())[-1]
    # The root is held by a variable: L['self'].
    path = _CLOSURE.sub("L['self']", _METHOD.sub("", path))
    names = [dotted or quoted for dotted, quoted in _STEP.findall(path)]
    if path[:2] in ("L[", "G["):
        names = names[2:]
    return (
        ".".join(name for name in names if name and name not in _NO_NAMES),
        getattr(kind, "__name__", None) or str(kind),
    )


def _name_of(target):
    return target if isinstance(target, str) else getattr(target, "__name__", None) or str(target)


def _lines_of(node):
    """Of the program's code, innermost, and of all code; the latter "" if it is the same."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    lines = ["%s:%s" % (os.path.basename(path), line) for path, line in frames]
    own = [line for line, (path, _) in zip(lines, frames) if not path.startswith(_not_programs())]
    where = own[-1] if own else ""
    return where, lines[-1] if lines and lines[-1] != where else ""


def _not_programs():
    """Folders of torch and of ours."""
    packages = (getattr(sys.modules.get("torch"), "__file__", None), __file__)
    return tuple(os.path.dirname(path) + os.sep for path in packages if path)


def _optimizer_of(node):
    """Of work in torch.optim: "adamw"."""
    found = _OPTIMIZER.search(node.meta.get("stack_trace") or "")
    return found.group(1) if found else ""


def symbols_of(code):
    """The sizes that are inputs of generated code: [(symbol, place among the inputs)]."""
    body = code[code.rfind("def call(") :]
    inputs = _INPUTS.search(body)
    names = inputs.group(1).replace(" ", "").split(",") if inputs else []
    return [(symbol, names.index(name)) for symbol, name in _SYMBOL.findall(body) if name in names]


def _file_of(key):
    utilities = sys.modules.get("torch._inductor.runtime.cache_dir_utils") or sys.modules.get(
        "torch._inductor.runtime.runtime_utils"
    )
    folder = getattr(utilities, "cache_dir", None)
    if folder is None or not re.fullmatch(r"\w+", key):
        return None
    return os.path.join(folder(), "prof", key + ".json")


def save(key, text):
    """Beside Inductor's cache, whole or not at all."""
    path = _file_of(key)
    if path is None or os.path.exists(path):
        return
    part = "%s.%d" % (path, os.getpid())
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError:  # Later runs know less.
        pass


def load(key):
    """What save() has kept, None: nothing."""
    path = _file_of(key)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, TypeError, ValueError):
        return None
