# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""The C side: whether a profiler in this process needs marks, and libprof.so, which captures."""
import ctypes
import os
import sys


_COLLECTOR = "libprof_inject.so"


class _CollectorApi(ctypes.Structure):
    """ProfCollectorApi (libprof/control/collector_api.hpp): later versions only append members."""

    _fields_ = (
        [
            ("struct_size", ctypes.c_size_t),
            ("version", ctypes.c_uint32),
            ("collector_version", ctypes.c_char_p),
        ]
        + [
            (name, ctypes.c_void_p)
            for name in ("start", "stop", "flush", "status", "standby", "start_windows")
        ]
        + [
            ("wants_marks", ctypes.POINTER(ctypes.c_int32)),
            ("op_sink", ctypes.c_void_p),
            (
                "keep_document",
                ctypes.CFUNCTYPE(
                    None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t
                ),
            ),
        ]
    )


class Options(ctypes.Structure):
    """prof_options (prof/prof.h)."""

    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("output", ctypes.c_char_p),
        ("stream", ctypes.c_char_p),
        ("api", ctypes.c_int),
        ("force", ctypes.c_int),
        ("keep_attached", ctypes.c_int),
        ("verbose", ctypes.c_int),
        ("queue_bytes", ctypes.c_uint64),
        ("buffer_bytes", ctypes.c_uint64),
    ]


def find_flag():
    """The collector's word, a c_int32, on whether marks are wanted; None: the process has no
    collector that could say so."""
    api = _api_of(None)
    return None if api is None else api.wants_marks.contents


def find_op_sink():
    """What libprof_torch.so reports ops to, and the collector's folder; (None, None): the process has
    no collector."""
    path = _loaded_collector()
    api = None if path is None else _api_of(path)
    return (None, None) if api is None else (api.op_sink, os.path.dirname(path))


def find_keeper():
    """keep(kind, name, text), which passes a document to the collector in this process (table
    document of docs/formats/schema.md); None: there is none."""
    path = _loaded_collector()
    api = None if path is None else _api_of(path)
    if api is None or not api.keep_document:
        return None
    keep_document = api.keep_document
    # torch has loaded it. `import` could find a module of the program's.
    compress = sys.modules["zlib"].compress

    def keep(kind, name, text):
        data = compress(text.encode("utf-8", "surrogatepass"))
        keep_document(kind.encode(), name.encode(), data, len(data))

    return keep


def _api_of(path):
    """Of the collector at `path`, None: of one that was preloaded."""
    try:
        get = ctypes.CDLL(path).prof_collector_api_v1
        get.restype = ctypes.POINTER(_CollectorApi)
        api = get().contents
        if api.version != 1 or api.struct_size < ctypes.sizeof(_CollectorApi):
            return None
        return api
    except (AttributeError, OSError, ValueError):
        return None


def _loaded_collector():
    """The path of the collector that the process has loaded, however; None: it has none."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                path = line.rstrip("\n").partition("/")[1:]
                if path[1].endswith("/" + _COLLECTOR):
                    return "".join(path)
    except OSError:
        pass
    return None


def load():
    """libprof.so; raises OSError with one line if it is not to be found."""
    in_process = ctypes.CDLL(None)
    if hasattr(in_process, "prof_start_windows"):
        return _with_types(in_process)
    tried = {}
    for path in _candidates():
        if os.path.exists(path):
            return _with_types(ctypes.CDLL(path))
        tried[os.path.dirname(path)] = True
    try:
        return _with_types(ctypes.CDLL("libprof.so.1"))
    except OSError:
        raise OSError(
            "libprof.so is not in %s; set PROF_COLLECTOR to the path of the "
            "libprof_inject.so beside it" % ", ".join(tried)
        ) from None


def _candidates():
    here = os.path.dirname(os.path.abspath(__file__))
    above = [here]
    for _ in range(4):
        above.append(os.path.dirname(above[-1]))
    collector = os.environ.get("PROF_COLLECTOR")
    beside = os.path.dirname(os.path.abspath(collector)) if collector else None
    folders = [beside, os.path.dirname(beside)] if collector else []
    # Installed, this is PREFIX/share/prof/python/prof_torch; of a wheel, PREFIX/lib/python3.N/
    # site-packages/prof_torch, or DIR/prof_torch by `pip install --target DIR`; in the sources,
    # tools/python/prof_torch.
    for prefix in (above[4], above[1]):
        folders += [
            os.path.join(prefix, name)
            for name in ("lib", "lib64", "lib/x86_64-linux-gnu", "libexec/prof")
        ]
    folders.append(os.path.join(above[3], "build", "lib"))
    return [
        os.path.join(folder, name) for folder in folders for name in ("libprof.so", "libprof.so.1")
    ]


def _with_types(library):
    library.prof_start.argtypes = [ctypes.POINTER(Options)]
    library.prof_start_windows.argtypes = [ctypes.POINTER(Options), ctypes.c_char_p]
    library.prof_last_error.restype = ctypes.c_char_p
    return library
