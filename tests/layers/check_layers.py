#!/usr/bin/env python3
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Fails on includes against the one-way flow and on oversized files.

usage: check_layers.py SOURCE_DIR | --self-test
"""
import pathlib
import re
import sys
import tempfile

# A folder may include itself and what is listed: folders with everything below them, or single
# files. The longest matching key decides, so a nested folder may have its own rules.
# docs/architecture.md draws it.
ALLOWED = {
    "libprof/base": [],
    "libprof/model": ["libprof/base"],
    "libprof/source": ["libprof/base", "libprof/model"],
    "libprof/store/sqlite": ["libprof/base"],
    "libprof/store/schema": ["libprof/base", "libprof/model", "libprof/store/sqlite"],
    "libprof/store/write": [
        "libprof/base",
        "libprof/model",
        "libprof/source",
        "libprof/store/schema",
        "libprof/store/sqlite",
    ],
    "libprof/store/read": [
        "libprof/base",
        "libprof/model",
        "libprof/source",
        "libprof/store/schema",
        "libprof/store/sqlite",
    ],
    "libprof/store/save": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read",
        "libprof/store/schema",
        "libprof/store/sqlite",
    ],
    "libprof/annotate": [],
    "libprof/include": [],
    "libprof/control": ["libprof/base"],
    "libprof/capi": ["libprof/base", "libprof/control", "libprof/include"],
    "collectors/core": ["libprof/base", "libprof/model", "libprof/source"],
    "collectors/nvtx": ["libprof/base", "libprof/model", "libprof/source", "collectors/core"],
    "collectors/cupti": ["libprof/base", "libprof/model", "libprof/source", "collectors/core"],
    "collectors/nvml": ["libprof/base", "libprof/model", "libprof/source", "collectors/core"],
    "collectors/nccl": [
        "libprof/base",
        "libprof/control/collector_api.hpp",
        "libprof/model",
        "libprof/source",
        "collectors/core",
    ],
    "collectors/osrt": ["libprof/base", "libprof/model", "libprof/source", "collectors/core"],
    "collectors/libcalls": [
        "libprof/base",
        "libprof/control/collector_api.hpp",
        "libprof/model",
        "libprof/source",
        "collectors/core",
        "collectors/ops/op_arguments.hpp",
        "collectors/ops/op_sink.hpp",
    ],
    "collectors/ops": ["libprof/base", "libprof/model", "libprof/source", "collectors/core"],
    "collectors/torch": [
        "libprof/base",
        "collectors/ops/op_arguments.hpp",
        "collectors/ops/op_sink.hpp",
    ],
    "collectors/windows": ["libprof/base", "libprof/control", "libprof/model", "collectors/core"],
    "collectors/inject": [
        "libprof/base",
        "libprof/control",
        "libprof/model",
        "libprof/source",
        "libprof/store/write/trace_writer.hpp",
        "libprof/store/write/append_loss.hpp",
        "collectors/core",
        "collectors/cupti",
        "collectors/libcalls",
        "collectors/nccl",
        "collectors/nvml",
        "collectors/nvtx",
        "collectors/ops",
        "collectors/osrt",
        "collectors/windows",
    ],
    "analyzers/base": ["libprof/base"],
    "analyzers/model": ["libprof/base", "libprof/model"],
    "analyzers/kernels": ["libprof/base", "libprof/model", "analyzers/model"],
    "analyzers/devices": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/record_cursor.hpp",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/model",
    ],
    "analyzers/ops": ["libprof/base", "libprof/model", "analyzers/model"],
    "analyzers/dialects": [
        "libprof/base",
        "libprof/model",
        "libprof/source/json_bounds.hpp",
        "libprof/source/text_template.hpp",
        "analyzers/model",
        "analyzers/ops/aten_roles.hpp",
        "analyzers/ops/aten_signatures.hpp",
        "analyzers/ops/aten_values.hpp",
        "analyzers/ops/triton_kernels.hpp",
        "analyzers/ops/xla_ops.hpp",
    ],
    "analyzers/facts": [
        "libprof/base",
        "libprof/model",
        "analyzers/model",
        "analyzers/dialects/meaning.hpp",
        "analyzers/ops",
    ],
    "analyzers/ranges": [
        "libprof/base",
        "libprof/model",
        "libprof/source/text_template.hpp",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/dialects",
    ],
    "analyzers/links": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/base",
        "analyzers/model",
        "analyzers/dialects",
        "analyzers/ranges",
    ],
    "analyzers/loops": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/dialects",
        "analyzers/ranges",
    ],
    "analyzers/steps": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/base",
        "analyzers/model",
        "analyzers/dialects",
        "analyzers/ranges",
        "analyzers/loops/find_steps.hpp",
    ],
    "analyzers/compiled": [
        "libprof/base",
        "libprof/model",
        "libprof/source/json_bounds.hpp",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/model",
        "analyzers/dialects/meaning.hpp",
        "analyzers/ops",
        "analyzers/stacks",
        "analyzers/graphs/replay_tracker.hpp",
    ],
    "analyzers/stacks": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/base",
        "analyzers/model",
        "analyzers/ops/op_catalog.hpp",
        "analyzers/dialects",
        "analyzers/facts",
        "analyzers/links",
        "analyzers/steps",
        "analyzers/ranges",
    ],
    "analyzers/graphs": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/base",
        "analyzers/stacks",
    ],
    "analyzers/checks": ["libprof/base", "libprof/model", "analyzers/model", "analyzers/devices"],
    "analyzers/cost": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/base",
        "analyzers/model",
        "analyzers/checks",
        "analyzers/devices",
        "analyzers/kernels",
        "analyzers/stacks",
    ],
    "analyzers/timeline": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "libprof/store/read/record_cursor.hpp",
        "analyzers/base",
        "analyzers/model",
        "analyzers/devices",
        "analyzers/steps/outside_work.hpp",
        "analyzers/steps/steady_steps.hpp",
        "analyzers/steps/step_set.hpp",
        "analyzers/ranges/range_options.hpp",
        "analyzers/stacks",
        "libprof/store/read/call_lookup.hpp",
        "analyzers/attributed_work.hpp",
    ],
    "analyzers/log": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/base",
        "analyzers/model",
        "analyzers/attributed_work.hpp",
    ],
    "analyzers/ranks": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/record_cursor.hpp",
        "libprof/store/read/trace_reader.hpp",
        "libprof/store/read/trace_set.hpp",
        "analyzers/model",
        "analyzers/devices",
        "analyzers/steps/steady_steps.hpp",
        "analyzers/timeline",
        "analyzers/attributed_work.hpp",
    ],
    "analyzers/whatif": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/timeline/idle_cause.hpp",
        "analyzers/timeline/judged_steps.hpp",
    ],
    "analyzers": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_reader.hpp",
        "analyzers/base",
        "analyzers/model",
        "analyzers/kernels",
        "analyzers/devices",
        "analyzers/checks",
        "analyzers/cost",
        "analyzers/facts",
        "analyzers/graphs",
        "analyzers/ops",
        "analyzers/stacks",
        "analyzers/steps",
        "analyzers/ranges",
        "analyzers/compiled",
    ],
    "tools/common": ["libprof/base"],
    "tools/report/table": ["libprof/base", "libprof/model", "tools/common"],
    "tools/report/filter": [
        "libprof/base",
        "libprof/model",
        "libprof/store/sqlite/sqlite_db.hpp",
        "libprof/store/read/trace_reader.hpp",
        "libprof/store/read/trace_set.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
    ],
    "tools/report/rows": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/call_lookup.hpp",
        "libprof/store/read/record_cursor.hpp",
        "libprof/store/read/row_cursor.hpp",
        "libprof/store/read/trace_reader.hpp",
        "libprof/store/sqlite/sqlite_db.hpp",
        "libprof/store/read/trace_rows.hpp",
        "libprof/store/read/trace_set.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
    ],
    "tools/report/ranks": [
        "libprof/base",
        "libprof/store/read/trace_reader.hpp",
        "libprof/store/read/trace_set.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
    ],
    "tools/report/query": [
        "libprof/base",
        "libprof/model/step_text.hpp",
        "libprof/store/sqlite/sql_aggregate.hpp",
        "libprof/store/sqlite/sql_function.hpp",
        "libprof/store/sqlite/sqlite_db.hpp",
        "libprof/store/sqlite/virtual_table.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
    ],
    "tools/report/columns": [
        "libprof/base",
        "libprof/source/base64.hpp",
        "libprof/store/read/trace_reader.hpp",
        "libprof/store/read/trace_set.hpp",
        "tools/common",
        "tools/report/table",
        "tools/report/query",
    ],
    "tools/report/compare": ["libprof/base", "analyzers", "tools/common", "tools/report/rows"],
    "tools/report/advice/facts": [
        "libprof/base",
        "libprof/store/read/trace_set.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
    ],
    "tools/report/advice/rules": [
        "libprof/base",
        "tools/common",
        "tools/report/filter",
        "tools/report/advice/facts",
    ],
    "tools/report/advice": ["tools/report/advice/facts", "tools/report/advice/rules"],
    "tools/report/builtin": [
        "libprof/base",
        "libprof/store/read/record_cursor.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
        "tools/report/query",
        "tools/report/compare",
        "tools/report/advice",
        "tools/report/ranks",
    ],
    "tools/report/compat": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/record_cursor.hpp",
        "libprof/store/read/trace_reader.hpp",
        "analyzers",
        "tools/common",
        "tools/report/filter",
        "tools/report/rows",
        "tools/report/query",
    ],
    "tools/report/export/formats": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/record_cursor.hpp",
        "libprof/store/read/trace_reader.hpp",
        "libprof/store/read/trace_set.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
    ],
    "tools/report/export": [
        "libprof/store/read/trace_set.hpp",
        "tools/common",
        "tools/report/filter",
        "tools/report/rows",
        "tools/report/ranks",
        "tools/report/export/formats",
    ],
    "tools/report/ncu": [
        "libprof/base",
        "libprof/store/read/trace_set.hpp",
        "tools/common",
        "tools/report/filter",
        "tools/report/rows",
    ],
    "tools/report/explain": [
        "libprof/base",
        "libprof/store/read/trace_set.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
    ],
    "tools/report/page": [
        "libprof/base",
        "libprof/store/read/trace_set.hpp",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
        "tools/report/ranks",
        "tools/report/query",
        "tools/report/columns",
    ],
    "tools/report/save": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_set.hpp",
        "libprof/store/save/saved_attribution.hpp",
        "libprof/store/schema/schema.hpp",
        "analyzers",
        "tools/common",
        "tools/report/table",
        "tools/report/rows",
    ],
    "tools/report/options": [
        "libprof/base",
        "libprof/model",
        "libprof/store/read/trace_paths.hpp",
        "analyzers/loops/find_steps.hpp",
        "analyzers/ranges/range_options.hpp",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
        "tools/report/query",
        "tools/report/compat",
        "tools/report/export",
    ],
    "tools/report": [
        "libprof/base",
        "libprof/store/read/trace_set.hpp",
        "tools/common",
        "tools/report/table",
        "tools/report/filter",
        "tools/report/rows",
        "tools/report/ranks",
        "tools/report/query",
        "tools/report/columns",
        "tools/report/builtin",
        "tools/report/compat",
        "tools/report/options",
        "tools/report/export",
        "tools/report/ncu",
        "tools/report/explain",
        "tools/report/page",
        "tools/report/save",
    ],
    "tools/fleet/tables": ["tools/report/all_reports.hpp", "tools/report/query"],
    "tools/fleet/store": ["libprof/base", "tools/report/table", "tools/fleet/tables"],
    "tools/fleet/add": [
        "libprof/base",
        "libprof/store/read/trace_set.hpp",
        "tools/report/ranks",
        "tools/report/rows",
        "tools/fleet/tables",
        "tools/fleet/store",
    ],
    "tools/fleet/questions": [
        "libprof/base",
        "tools/common",
        "tools/report/query",
        "tools/report/table",
        "tools/fleet/store",
    ],
    "tools/fleet": [
        "libprof/base",
        "libprof/store/read/trace_paths.hpp",
        "libprof/store/read/trace_set.hpp",
        "tools/common",
        "tools/fleet/add",
        "tools/fleet/questions",
        "tools/fleet/store",
    ],
    "tools/import": [
        "libprof/base",
        "libprof/model",
        "libprof/source",
        "libprof/store/read/trace_open.hpp",  # foreign databases, and what a file is
        "libprof/store/schema/schema.hpp",
        "libprof/store/sqlite/sqlite_db.hpp",
        "libprof/store/write/trace_writer.hpp",
        "tools/common",
    ],
    "tools/run": [
        "libprof/base",
        "libprof/control/capture_spec.hpp",
        "libprof/control/collector_api.hpp",  # a variable that libprof.so sets
        "libprof/control/control_folder.hpp",
        "libprof/control/control_words.hpp",
        "libprof/control/cuda_driver.hpp",
        "libprof/control/expected_trace.hpp",
        "libprof/control/placeholders.hpp",
        "libprof/control/trace_words.hpp",
        "libprof/control/watcher_page.hpp",
        "tools/common",
    ],
    "tools/manual": [
        "tools/common",
        "tools/fleet/options.hpp",
        "tools/import/options.hpp",
        "tools/report/all_reports.hpp",
        "tools/report/options/options.hpp",
        "tools/run/options.hpp",
    ],
    "reference_models": ["libprof/annotate", "tools/common/command_line.hpp"],
    "tests": ["libprof", "collectors", "analyzers", "tools", "reference_models"],
}
# Headers that only the named files may include: what is behind a seam stays there.
ONLY = {
    "sqlite3.h": [
        "libprof/store/sqlite/sqlite_db",
        "libprof/store/sqlite/descriptor_guard.cpp",
        "libprof/store/sqlite/guarded_vfs",
        "libprof/store/sqlite/read_guard",
        "libprof/store/sqlite/virtual_table.cpp",
        "libprof/store/sqlite/sql_aggregate.cpp",
        "libprof/store/sqlite/sql_function.cpp",
        "tests/",
    ],
    "cupti.h": [
        "collectors/cupti/cupti_driver.cpp",
        "collectors/cupti/cupti_decode.cpp",
        "collectors/cupti/cupti_functions.hpp",
        "collectors/cupti/cupti_graphs.cpp",
        "collectors/cupti/cupti_shared_api.hpp",
        "collectors/cupti/cupti_subscription.hpp",
        "collectors/cupti/cupti_waits.cpp",
        "tests/",
    ],
    "cuda.h": ["collectors/cupti/", "reference_models/", "tests/"],
    "cuda_runtime.h": ["reference_models/", "tests/"],
    "nlohmann/json.hpp": ["*.cpp"],
    "utf8proc.h": ["tools/common/unicode.cpp"],
    "CLI/CLI.hpp": ["tools/common/command_line.cpp"],  # a compiler takes ten seconds for it
    # It aborts: not for what runs inside a profiled program.
    "libprof/base/check.hpp": ["analyzers/", "tools/", "tests/", "libprof/base/debug_check.hpp"],
}
TOP = ("libprof", "collectors", "analyzers", "tools", "reference_models", "tests")
MAX_LINES = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def layer(path):
    return max((k for k in ALLOWED if path == k or path.startswith(k + "/")), key=len, default=None)


def is_listed(target, listed):
    return any(target == entry or target.startswith(entry + "/") for entry in listed)


def cycle(edges):
    """The nodes of one cycle of a graph {node: [node]}, or none."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node) :] + [node]
        if node in done:
            return []
        for target in edges.get(node, ()):
            if found := visit(target, path + [node]):
                return found
        done.add(node)
        return []

    return next((found for node in sorted(edges) if (found := visit(node, []))), [])


def folder_graph(allowed):
    """What folders may include of each other. Single files do not count: the files' graph has them."""
    return {
        own: [other for other in allowed if other != own and is_listed(other, listed)]
        for own, listed in allowed.items()
        if own != "tests"
    }


def violations(root):
    includes = {}
    # What npm installed for tools/web is not ours.
    for file in sorted(
        p
        for top in TOP
        for p in (root / top).rglob("*")
        if p.suffix in (".hpp", ".h", ".cpp", ".cu", ".cuh", ".c", ".inc")
        and "node_modules" not in p.parts
    ):
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
            if users and not any(
                file.suffix == u[1:] if u.startswith("*") else name.startswith(u) for u in users
            ):
                yield f"{name}: includes <{target}>, which only {', '.join(users)} may"
            if not target.startswith(TOP):
                continue
            includes.setdefault(name, []).append(target)
            if layer(target) != own and not is_listed(target, ALLOWED[own]):
                yield f"{name}: includes {target}, but {own} may include only {', '.join(ALLOWED[own]) or 'itself'}"
    if found := cycle(includes):
        yield f"files include each other in a circle: {' -> '.join(found)}"
    # A single file that the table lets in ties its folder as well.
    folders = {own: set() for own in ALLOWED}
    for file, targets in includes.items():
        folders[layer(file)].update(layer(target) for target in targets)
    rooms = {
        own: sorted(other for other in others if other and other != own)
        for own, others in folders.items()
        if own.startswith(("analyzers/", "libprof/store/", "tools/fleet", "tools/report"))
    }
    if found := cycle(rooms):
        yield f"folders include each other in a circle: {' -> '.join(found)}"
    if found := cycle(folder_graph(ALLOWED)):
        yield f"the table lets folders include each other in a circle: {' -> '.join(found)}"


def self_test():
    """A tree with one wrong include of each kind must give exactly that many lines."""
    with tempfile.TemporaryDirectory() as tmp:
        root = pathlib.Path(tmp)
        files = {
            "libprof/model/a.hpp": '#include "libprof/base/result.hpp"\n#include "analyzers/x.hpp"\n',
            "analyzers/b.cpp": '#include "collectors/core/ring.hpp"\n',
            "collectors/core/c.cpp": "#include <sqlite3.h>\n",
            "tools/report/d.hpp": "#include <nlohmann/json.hpp>\n",
            "tools/report/rows/ok.cpp": '#include <nlohmann/json.hpp>\n#include "analyzers/b.hpp"\n',
            "libprof/base/long.hpp": "\n" * (MAX_LINES + 1),
            "libprof/capi/e.cpp": '#include "collectors/inject/x.hpp"\n#include "libprof/base/check.hpp"\n',
            "analyzers/ops/f.cpp": '#include "analyzers/dialects/registry.hpp"\n',
            "analyzers/dialects/g.cpp": '#include "analyzers/ops/registry.hpp"\n',
            "analyzers/facts/h.cpp": '#include "analyzers/attributor.hpp"\n',
            "tools/report/table/k.hpp": '#include "tools/report/rows/l.hpp"\n',
            "tools/report/rows/m.hpp": '#include "tools/report/table/k.hpp"\n',
            "tools/common/i.hpp": '#include "tools/common/j.hpp"\n',
            "tools/common/j.hpp": '#include "tools/common/i.hpp"\n',
            "tools/web/node_modules/n.h": '#include "analyzers/x.hpp"\n',
        }
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = list(violations(root))
        print("\n".join(found))
        circle = cycle(folder_graph({"a": ["b"], "b": ["c"], "c": ["a"]}))
        return 0 if len(found) == 13 and circle == ["a", "b", "c", "a"] else 1


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
