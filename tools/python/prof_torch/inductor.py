# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""torch.compile: a range around each call of a graph that Inductor has compiled, and, once for each
graph, what its kernels were made from: the generated code, whose comments name the nodes of each
call site, and tables of what those nodes are (graph_nodes.py). The analyzers join them.

Nothing here changes what is compiled, cached or launched: functions are replaced that torch looks
up anew in each call, arguments and results pass through, no option is touched. Where a torch is not
as expected, its compiled code has ranges of modules and ops alone, and one line says so.
"""
import sys
import threading
import weakref

from .json_text import json_text
from .library import find_keeper

_COMPILER = "torch._inductor.compile_fx"

#: Where CompiledFxGraph is: since 2.6, and before.
_GRAPHS = ("torch._inductor.output_code", "torch._inductor.codecache")

_BENCHMARKING = "torch._inductor.runtime.benchmarking"
_AUTOTUNE = '{"v":1,"mod":"prof","op":"autotune","whole":true}'


class Inductor:
    """Watches the compiler from its first use on."""

    def __init__(self, torch, session):
        self._torch = torch
        self._session = session
        self._keep = find_keeper()
        self._is_installed = self._keep is None
        self._nodes = None  # graph_nodes.py, which imports what torch alone does not
        self._lock = threading.Lock()
        self._numbers = {}  # of Dynamo's graphs, by the id of the compilation
        self._sources = {}  # by number
        self._origins = {}  # by id of a CompiledFxGraph: (weak reference, number)
        self._texts = {}  # of ranges, likewise
        self._kept = set()  # keys of graphs

    def install(self):
        """The compiler is imported by the first call of its backend, or has been by other ways."""
        self.follow()
        backend = getattr(self._torch, "_TorchCompileInductorWrapper", None)
        if self._is_installed or backend is None:
            return

        def make(original):
            def __call__(*args, **kwargs):
                if not self._is_installed and self._session.active:
                    self._try(__import__, _COMPILER)
                    self.follow()
                return original(*args, **kwargs)

            return __call__

        self._session.patches.wrap(backend, "__call__", make)

    def follow(self):
        """Installs the rest if the compiler has been imported."""
        if not self._is_installed and _COMPILER in sys.modules:
            self._is_installed = True
            self._try(self._install)

    def _install(self):
        from . import graph_nodes

        self._nodes = graph_nodes
        wrap = self._session.patches.wrap
        compiler = sys.modules[_COMPILER]
        graphs = next(
            sys.modules[name].CompiledFxGraph
            for name in _GRAPHS
            if hasattr(sys.modules.get(name), "CompiledFxGraph")
        )
        done = [
            wrap(compiler, "compile_fx", self._watch_dynamo),
            wrap(compiler, "_compile_fx_inner", self._watch_inner),
            wrap(graphs, "__call__", self._watch_calls),
        ]
        if not all(done):
            raise RuntimeError("this torch compiles in another way")
        wrap(graphs, "post_compile", self._watch_loads)
        for kind in vars(sys.modules.get(_BENCHMARKING)).values():
            if isinstance(kind, type) and kind.__module__ == _BENCHMARKING:
                wrap(kind, "benchmark_gpu", self._watch_benchmarks)

    def _try(self, function, *args):
        """What goes wrong here is not the program's concern."""
        try:
            return function(*args)
        except Exception as error:
            self._session.warn("compiled code is not told apart: %r" % (error,))
            return None

    # What is compiled.

    def _watch_dynamo(self, original):
        def compile_fx(model_, *args, **kwargs):
            if self._session.active:
                self._try(self._note_dynamo, model_)
            return original(model_, *args, **kwargs)

        return compile_fx

    def _note_dynamo(self, module):
        compilation = self._compilation()
        graph = getattr(module, "graph", None)
        if compilation is None or graph is None:
            return
        # compile_fx calls itself with the same graph.
        known = self._numbers.get(compilation)
        if known is not None and known[0]() is module:
            return
        with self._lock:
            number = len(self._sources)
            self._sources[number] = self._nodes.Sources()
        self._numbers[compilation] = weakref.ref(module), number
        table = self._nodes.of_dynamo(graph)
        self._sources[number] = self._nodes.Sources(table["nodes"])
        self._keep("dynamo.nodes", str(number), json_text(table))

    def _compilation(self):
        """Also of a backward graph, which is compiled when it is first needed."""
        context = sys.modules["torch._guards"].CompileContext
        return context.current_compile_id()

    def _number(self):
        known = self._numbers.get(self._compilation())
        return None if known is None else known[1]

    def _watch_inner(self, original):
        def _compile_fx_inner(gm, *args, **kwargs):
            if not self._session.active:
                return original(gm, *args, **kwargs)
            # Before passes change the graph.
            nodes = self._try(self._read_aot, gm)
            result = original(gm, *args, **kwargs)
            if nodes is not None:
                self._try(self._note_aot, result, nodes)
            return result

        return _compile_fx_inner

    def _read_aot(self, module):
        sources = self._sources.get(self._number()) or self._nodes.Sources()
        return self._nodes.of_aot(module.graph, sources)

    def _note_aot(self, result, nodes):
        key = getattr(result, "cache_key", None)
        if key:
            text = json_text(nodes)
            self._keep("aot.nodes", key, text)
            self._nodes.save(key, text)
        self._note_origin(result)

    def _watch_loads(self, original):
        def post_compile(graph, *args, **kwargs):
            result = original(graph, *args, **kwargs)
            if self._session.active:
                self._try(self._note_origin, graph)
            return result

        return post_compile

    def _note_origin(self, graph):
        number = self._number()
        if number is None:
            return
        key = id(graph)

        def forget(_, origins=self._origins, texts=self._texts):
            origins.pop(key, None)
            texts.pop(key, None)

        self._origins[key] = weakref.ref(graph, forget), number
        self._texts.pop(key, None)

    # What runs.

    def _watch_calls(self, original):
        session, texts = self._session, self._texts
        push, close = session.nvtx.push, session.nvtx.close

        def __call__(graph, *args, **kwargs):
            if not session.active or not session.needs_ranges():
                return original(graph, *args, **kwargs)
            text = texts.get(id(graph))
            if text is None:
                text = self._try(self._text_of, graph)
                if text is None:
                    return original(graph, *args, **kwargs)
            if type(text) is not str:
                text = text(args)
            level = None
            try:
                level = push(text)
                return original(graph, *args, **kwargs)
            finally:
                close(level)

        return __call__

    def _text_of(self, graph):
        """Of its range. Keeps its documents."""
        key = getattr(graph, "cache_key", None) or "unnamed-%d" % id(graph)
        if key not in self._kept:
            self._kept.add(key)
            self._keep_text("inductor.wrapper", key, getattr(graph, "source_code", None))
            self._keep_text(
                "inductor.post_grad", key, getattr(graph, "inductor_post_grad_graph_str", None)
            )
            self._keep_text("aot.nodes", key, self._nodes.load(key))
        told = {"v": 1, "mod": "prof", "graph": key}
        origin = self._origins.get(id(graph))
        if origin is not None:
            told["source"] = str(origin[1])
        settings = getattr(graph, "fx_kwargs", None) or {}
        told["dir"] = "bprop" if settings.get("is_backward") else "fprop"
        symbols = self._nodes.symbols_of(getattr(graph, "source_code", None) or "")
        text = _with_sizes(told, symbols) if symbols else json_text(told)
        if origin is not None:  # Else its number may be used again.
            self._texts[id(graph)] = text
        return text

    def _keep_text(self, kind, name, text):
        if isinstance(text, str) and text:
            self._keep(kind, name, text)

    def _watch_benchmarks(self, original):
        session = self._session

        def benchmark_gpu(*args, **kwargs):
            if not session.active or not session.needs_ranges():
                return original(*args, **kwargs)
            level = None
            try:
                level = session.nvtx.push(_AUTOTUNE)
                return original(*args, **kwargs)
            finally:
                session.nvtx.close(level)

        return benchmark_gpu


def _with_sizes(told, symbols):
    """A function of a call's arguments that gives its text, with the sizes that are inputs."""

    def text_of(args):
        try:
            inputs = args[0]
            sizes = {symbol: inputs[at] for symbol, at in symbols if type(inputs[at]) is int}
        except (IndexError, TypeError):
            sizes = {}
        return json_text(dict(told, sizes=sizes))

    return text_of
