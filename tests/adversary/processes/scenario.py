# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""What a scenario is. One entry in a topic's list SCENARIOS is one row of the table."""
import dataclasses
import typing


@dataclasses.dataclass
class Scenario:
    name: str
    did: str
    """What was done, for the table."""
    script: str = ""
    """What the program does: the commands of tests/system/apps/*_commands.cpp."""
    shell: str = 'exec "$@"'
    """Bash that starts the program ("$@"), in the run's folder, bare and profiled alike."""
    door: str = "run"
    """run: prof-run; preload: LD_PRELOAD by hand."""
    options: tuple = ()
    """Of prof-run."""
    output: str = "trace.db"
    """The trace that is asked for, relative to the run's folder."""
    env: dict = dataclasses.field(default_factory=dict)
    inner: tuple = ()
    """Words between prof-run and the program, as ("env", "-i"). {tally} and {path} are filled."""
    app: str = "script"
    """Which program: a key of Machine.programs."""
    stderr: str = "file"
    """Where stderr goes: file, broken (a pipe nobody reads any more), full (a pipe that takes nothing)."""
    setup: typing.Optional[typing.Callable] = None
    """setup(folder) before each of the two runs."""
    needs: typing.Optional[typing.Callable] = None
    """needs(machine): why the scenario cannot be had here, or "" where it can."""
    machines: tuple = ("standin", "gpu")
    status_with: typing.Optional[int] = None
    """The status with the profiler where it is not the program's own: prof-run refuses to run it."""
    cut: bool = False
    """The program dies without exit: at most the last second may be missing, and the trace says so."""
    may_lose: str = ""
    """Why records may be missing where they are counted."""
    no_trace: str = ""
    """What the one line says (a regular expression) where there can be no trace."""
    may_leave: tuple = ()
    """Patterns of files that may lie there after the run and not after the bare one."""
    free_running: bool = False
    """How much the program launches differs from run to run."""
    seconds: float = 60
    """Limit of each run."""
    slower_by: typing.Optional[float] = None
    """How many seconds longer than the bare run it may take, where that is the point."""
    quick: bool = False
    """Belongs to the few seconds that CTest runs."""
    wait_for: float = 0
    """Seconds that processes left behind have, to end on their own."""
    run: typing.Optional[typing.Callable] = None
    """run(scenario, machine, options) -> Row, for what is more than a program and its bare run."""


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
