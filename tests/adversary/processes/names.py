# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Names with odd characters: of the trace, of folders, of the installation."""
import os
import shutil

import harness
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; exit 7"


def install_to(name):
    """Copies prof-run and the collector to a folder of that name, as a user who unpacks there."""

    def make(folder):
        for source, place in ((harness.PROF_RUN, "bin"), (harness.INJECT, "lib")):
            os.makedirs(os.path.join(folder, name, place), exist_ok=True)
            shutil.copy(source, os.path.join(folder, name, place))

    return make


def installed(title, name, **more):
    return Scenario(
        title,
        f"prof-run and its library lie in '{name}/'",
        WORK,
        setup=install_to(name),
        prof_run=f"{name}/bin/prof-run",
        may_refuse=True,
        **more,
    )


def folder_named(name):
    return lambda folder: os.mkdir(os.path.join(folder, name))


SCENARIOS = [
    installed("installed, path with a blank", "a b", quick=True),
    installed("installed, path with a colon", "a:b", quick=True),
    installed("installed, path with a dollar", "$ORIGIN"),
    installed("installed, path with a percent", "50%p"),
    installed("installed, path with a line end", "a\nb"),
    Scenario("%p in the file's name", "-o t-%p.db", WORK, output="t-%p.db"),
    Scenario(
        "%p in a folder's name",
        "-o 'p-%p/trace.db', no such folder",
        WORK,
        output="p-%p/trace.db",
        may_refuse=True,
    ),
    Scenario(
        "%p in an existing folder's name",
        "the folder is named 'a%pb'",
        WORK,
        setup=folder_named("a%pb"),
        output="a%pb/trace.db",
        quick=True,
    ),
    Scenario(
        "%p in the working folder's name",
        "cd 'a%pb'; -o trace.db",
        WORK,
        setup=folder_named("a%pb"),
        shell='cd a%pb; exec "$@"',
        relative=True,
        quick=True,
    ),
    Scenario("%% and %h", "-o 't-%%-%h.db'", WORK, output="t-%%-%h.db"),
    Scenario("blanks and quotes", '-o "it\'s a trace.db"', WORK, output="it's a trace.db"),
    Scenario(
        "a name of 250 characters",
        "-o x...x.db",
        WORK,
        output="x" * 247 + ".db",
        may_refuse=True,
        no_trace="prof: .*long",
    ),
    Scenario(
        "a URI", "-o 'file:x?mode=memory.db'", WORK, output="file:x?mode=memory.db", relative=True
    ),
    Scenario(":memory:", "-o ':memory:.db'", WORK, output=":memory:.db", relative=True),
    Scenario("no UTF-8", "a name with the byte 0xff", WORK, output="t\udcff.db"),
]
