# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a scenario is. One entry in a topic's list SCENARIOS is one row of the table."""
import dataclasses
import typing


@dataclasses.dataclass
class Scenario:
    """In script, inner and env, {folder}, {app}, {tally}, {path}, {plugin} and {bad_disk} stand
    for the run's folder, the program, its count, the search path of libraries, the library that
    annotates and the one that makes a bad disk."""

    name: str
    did: str
    """What was done, for the table."""
    script: str = ""
    """What the program does: the commands of tests/system/apps/*_commands.cpp."""
    _: dataclasses.KW_ONLY

    # How it is run.
    shell: str = 'exec "$@"'
    """Bash that starts the program ("$@"), in the run's folder, bare and profiled alike."""
    door: str = "run"
    """run: prof-run; preload: LD_PRELOAD by hand."""
    options: tuple = ()
    """Of prof-run."""
    output: str = "trace.db"
    """The trace that is asked for, in the run's folder."""
    relative: bool = False
    """The output is given as it stands, not as an absolute path."""
    env: dict = dataclasses.field(default_factory=dict)
    inner: tuple = ()
    """Words between prof-run and the program, as ("env", "-i")."""
    app: str = "script"
    """Which program: a key of Machine.programs."""
    prof_run: str = ""
    """A prof-run in the run's folder instead of the build's."""
    stderr: str = "file"
    """Where stderr goes: file, broken (a pipe nobody reads), full (one that takes nothing)."""
    setup: typing.Optional[typing.Callable] = None
    """setup(folder) before each of the two runs."""
    needs: typing.Optional[typing.Callable] = None
    """needs(machine): why the scenario cannot be had here, or "" where it can."""
    machines: tuple = ("standin", "gpu")
    seconds: float = 60
    """Limit of each run."""
    wait_for: float = 0
    """Seconds that processes left behind have, to end on their own."""
    quick: bool = False
    """Belongs to the few seconds that CTest runs."""
    run: typing.Optional[typing.Callable] = None
    """run(scenario, machine, options) -> Row, for what is more than a program and its bare run."""

    # What is promised less than: the program as it would be, everything in the file.
    refused: bool = False
    """prof-run says in a line why it does not run the program, and ends with 1."""
    may_refuse: bool = False
    """Either that, or it works."""
    no_trace: str = ""
    """What a line says (a regular expression) where there is no trace."""
    trace_optional: bool = False
    """With no_trace: there may be a trace all the same."""
    cut: bool = False
    """The program dies without exit: at most the last second may be missing; the trace says so."""
    last_seconds: float = 2.0
    """"At most the last second" is held to this: commits come about every second, on a machine that
    may be busy."""
    exec_chain: bool = False
    """With cut: several programs in one process, each cut by the next but the last, whose trace is
    whole. How long each had is not known."""
    bare_may_crash: bool = False
    """The program may die of a race of its own, bare too; its status says nothing then."""
    may_lose: str = ""
    """Why records may be missing where they are counted."""
    damaged: bool = False
    """The scenario itself destroys the trace: it need not be readable."""
    uncountable: str = "no such loss"
    """The loss that says that the capture ended early, where nobody can count what came after."""
    free_running: bool = False
    """How much the program launches differs from run to run."""
    bare_may_hang: bool = False
    """The bare program need not end either; then the profiled one need not."""
    slower_by: typing.Optional[float] = None
    """How many seconds longer than the bare run it may take, where that is the point."""
    may_leave: tuple = ()
    """Patterns of files that may lie there after the run and not after the bare one."""
    other_name: bool = False
    """The trace need not bear the name that was asked for."""


@dataclasses.dataclass
class Row:
    """What came of a scenario. problems: the promises that were broken, one clear phrase each."""

    name: str
    did: str
    without: str = "-"
    with_: str = "-"
    launched: typing.Optional[int] = None
    in_file: typing.Optional[int] = None
    lost: typing.Optional[int] = None
    problems: list = dataclasses.field(default_factory=list)
    notes: list = dataclasses.field(default_factory=list)
    skipped: str = ""
    seconds: float = 0.0
