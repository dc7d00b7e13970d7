# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""What the nodes of a compiler's graphs are. Two tables, as JSON (docs/graphs.md):

Dynamo's, of one compilation: each node's module, function and source line.
AOTAutograd's, of one graph that Inductor compiles: which of Dynamo's nodes each one comes from. It
is also kept in a file beside Inductor's cache: a later process that finds the graph there never
sees its nodes.

Only names are read, never the values of tensors.
"""
import os
import re
import sys

_FRAME = re.compile(r'File "([^"]+)", line (\d+)')

#: A step of a path to a module: .name, ['name'], [0].
_STEP = re.compile(r"(?:^|\.)(\w+)|\[['\"]?([^\]'\"]*)['\"]?\]")

#: Parts of such a path that are no names of modules.
_NO_NAMES = ("_modules", "_orig_mod")


def of_dynamo(graph):
    nodes = []
    for node in graph.nodes:
        if node.op == "output":
            continue
        path, kind = _module_of(node)
        entry = {"name": node.name, "path": path, "class": kind,
                 "target": _name_of(node.target), "where": _line_of(node)}
        nodes.append({word: text for word, text in entry.items() if text})
    return {"nodes": nodes}


def of_aot(graph, sources):
    """`sources`: {sequence number: name of Dynamo's node}, filled by the forward graph and read for
    the backward one, which it makes the gradient of."""
    nodes = []
    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        meta = node.meta
        is_backward = meta.get("partitioner_tag") == "is_backward"
        number = meta.get("seq_nr")
        origin = meta.get("from_node")
        source = origin[0].name if origin and not is_backward else None
        entry = {"name": node.name}
        if source is not None:
            if number is not None:
                sources.setdefault(number, source)
        elif not meta.get("is_gradient_acc"):
            source = sources.get(number)
        if source is not None:
            entry["source"] = source
        if is_backward:
            entry["dir"] = "bprop"
        nodes.append(entry)
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
    names = [dotted or quoted for dotted, quoted in _STEP.findall(path)]
    # The root is held by a variable: L['self'].
    if path[:2] in ("L[", "G["):
        names = names[2:]
    return (".".join(name for name in names if name and name not in _NO_NAMES),
            getattr(kind, "__name__", None) or str(kind))


def _name_of(target):
    return target if isinstance(target, str) else getattr(target, "__name__", None) or str(target)


def _line_of(node):
    """Of the program's code, innermost."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    own = [frame for frame in frames if "/torch/" not in frame[0] and "/prof_torch/" not in frame[0]]
    if not own:
        return ""
    return "%s:%s" % (os.path.basename(own[-1][0]), own[-1][1])


def _file_of(key):
    utilities = sys.modules.get("torch._inductor.runtime.cache_dir_utils") or \
        sys.modules.get("torch._inductor.runtime.runtime_utils")
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
