#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that goes against the one-way flow, and on files that outgrow their duty.

usage: check_layers.py SOURCE_DIR | --self-test
"""
import pathlib
import re
import sys
import tempfile

# A folder may include itself and what is listed. Longest prefix wins. docs/architecture.md draws it.
ALLOWED = {
    "libprof/base": [],
    "libprof/model": ["libprof/base"],
    "libprof/source": ["libprof/base", "libprof/model"],
    "libprof/store": ["libprof/base", "libprof/model", "libprof/source"],
    "libprof/annotate": [],
    "libprof/include": [],
    "libprof/capi": ["libprof/base", "libprof/include", "collectors/inject/control.hpp",
                     "collectors/inject/say.hpp", "collectors/inject/secure.hpp", "collectors/inject/stderr_identity.hpp"],
    "collectors/core": ["libprof/base", "libprof/model", "libprof/source"],
    "collectors/nvtx": ["libprof/base", "libprof/model", "libprof/source", "collectors/core"],
    "collectors/cupti": ["libprof/base", "libprof/model", "libprof/source", "collectors/core"],
    "collectors/inject": ["libprof", "collectors"],
    "analyzers": ["libprof/base", "libprof/model", "libprof/source/text_template.hpp", "libprof/store/trace_reader.hpp"],
    "analyzers/kernels": ["libprof/base", "libprof/model", "analyzers/attribution.hpp"],
    "analyzers/ops": ["libprof/base", "libprof/model", "analyzers"],
    "analyzers/dialects": ["libprof/base", "libprof/model", "libprof/source/text_template.hpp", "analyzers"],
    "tools/common": ["libprof/base"],
    "tools/report": ["libprof/base", "libprof/model", "libprof/store/trace_reader.hpp", "analyzers", "tools/common"],
    "tools/import": ["libprof/base", "libprof/model", "libprof/source", "libprof/store", "tools/common"],
    "tools/run": ["libprof/base", "tools/common"],
    "reference_models": ["libprof/annotate"],
    "tests": ["libprof", "collectors", "analyzers", "tools", "reference_models"],
}
# Headers that only the named files may include: what is behind a seam stays there.
ONLY = {
    "sqlite3.h": ["libprof/store/sqlite_db", "libprof/store/descriptor_guard.cpp", "libprof/store/guarded_vfs", "libprof/store/read_guard", "tests/"],
    "cupti.h": ["collectors/cupti/cupti_driver.cpp", "collectors/cupti/cupti_decode.cpp", "tests/"],
    "cuda.h": ["collectors/cupti/", "reference_models/", "tests/"],
    "cuda_runtime.h": ["reference_models/", "tests/"],
    "nlohmann/json.hpp": ["*.cpp"],
}
TOP = ("libprof", "collectors", "analyzers", "tools", "reference_models", "tests")
MAX_LINES = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def layer(path):
    return max((k for k in ALLOWED if path == k or path.startswith(k + "/")), key=len, default=None)


def violations(root):
    for file in sorted(p for top in TOP for p in (root / top).rglob("*") if p.suffix in (".hpp", ".h", ".cpp", ".cu", ".cuh", ".c", ".inc")):
        name = file.relative_to(root).as_posix()
        text = file.read_text(errors="replace")
        own = layer(name)
        if own is None:
            yield f"{name}: is in no layer; add its folder to tests/layers/check_layers.py"
            continue
        lines = text.count("\n")
        if lines > MAX_LINES:
            yield f"{name}: {lines} lines, more than {MAX_LINES}; it has more than one duty"
        for _, target in INCLUDE.findall(text):
            users = ONLY.get(target)
            if users and not any(file.suffix == u[1:] if u.startswith("*") else name.startswith(u) for u in users):
                yield f"{name}: includes <{target}>, which only {', '.join(users)} may"
            if not target.startswith(TOP):
                continue
            if target.startswith(own + "/"):
                continue
            if not any(target == a or target.startswith(a + "/") for a in ALLOWED[own]):
                yield f"{name}: includes {target}, but {own} may include only {', '.join(ALLOWED[own]) or 'itself'}"


def self_test():
    """A tree with one wrong include of each kind must give exactly that many lines."""
    with tempfile.TemporaryDirectory() as tmp:
        root = pathlib.Path(tmp)
        files = {
            "libprof/model/a.hpp": '#include "libprof/base/result.hpp"\n#include "analyzers/x.hpp"\n',
            "analyzers/b.cpp": '#include "collectors/core/ring.hpp"\n',
            "collectors/core/c.cpp": "#include <sqlite3.h>\n",
            "tools/report/d.hpp": "#include <nlohmann/json.hpp>\n",
            "tools/report/ok.cpp": '#include <nlohmann/json.hpp>\n#include "analyzers/b.hpp"\n',
            "libprof/base/long.hpp": "\n" * (MAX_LINES + 1),
        }
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = list(violations(root))
        print("\n".join(found))
        return 0 if len(found) == 5 else 1


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    found = list(violations(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "layers: no include in the wrong direction")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
