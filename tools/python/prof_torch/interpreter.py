# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Replaces this interpreter by one that runs the program, as if it had been started for that alone:
same process, command line, options and variables (docs/decisions/0004-harmless.md). What it has
besides is at_start/sitecustomize.py, which site imports before the program begins."""
import os
import sys

from .messages import print_message

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_AT_START = os.path.join(_PACKAGE, "at_start")


def become(program, options, search_path):
    """Runs `program`, a command line's words after python3 and its options. `search_path`: sys.path
    as the program has it. Returns only by an exception."""
    if not _is_own_program():
        print_message(
            "another program runs this one; start it by python3 -m prof_torch, or call "
            "prof_torch.start() in yours"
        )
        sys.exit(2)
    command = _own_command()
    environment = _initial_environment()
    why = _why_not_annotated()
    if why:
        print_message("nothing is annotated, %s; call prof_torch.start() in the program" % why)
    else:
        environment.update(_additions(environment, options, search_path))
    os.execve(_executable(), command + program, environment)


def _is_own_program():
    """Whether python3 was started for this package, and is not a launcher that has imported it: its
    command line would be started once more."""
    frame = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__") != "runpy":
        frame = frame.f_back
    while frame is not None and frame.f_globals.get("__name__") == "runpy":
        frame = frame.f_back
    return frame is None


def _own_command():
    """python3 and its options: what stands before -m prof_torch, or before the path of its folder."""
    words = getattr(sys, "orig_argv", None)  # since Python 3.10
    if words is None:
        with open("/proc/self/cmdline", "rb") as file:
            words = [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    words = words[: len(words) - len(sys.argv[1:])]
    last = words.pop()
    if sys.modules["__main__"].__spec__.name != "__main__":  # not by the path
        flags = last.partition("m")[0] if last.startswith("-") else words.pop()[:-1]
        if flags != "-":  # as in -um prof_torch
            words.append(flags)
    return words


def _initial_environment():
    """The variables that this process was started with; python3 may have changed LC_CTYPE since."""
    try:
        with open("/proc/self/environ", "rb") as file:
            words = [word.partition(b"=") for word in file.read().split(b"\0")]
    except OSError:
        return dict(os.environb)
    found = {}
    for name, equals, value in words:
        if equals:
            found.setdefault(name, value)
    return found


def _why_not_annotated():
    if sys.version_info < (3, 8):
        return "since this is an older Python than 3.8"
    if sys.flags.isolated or sys.flags.ignore_environment:
        return "since with -I and -E python3 does not read PYTHONPATH"
    if sys.flags.no_site:
        return "since with -S python3 imports nothing before the program"
    if os.pathsep in _AT_START:
        return "since PYTHONPATH cannot have %s" % _AT_START
    return None


def _additions(environment, options, search_path):
    """Variables that at_start/sitecustomize.py takes away again."""
    folders = environment.get(b"PYTHONPATH")
    parent = os.path.dirname(_PACKAGE)
    if parent not in map(os.path.abspath, search_path):
        # Found by its path or in the working directory; the program may import it, too.
        folders = b":".join(filter(None, (folders, os.fsencode(parent))))
    words = " ".join("%s=%s" % option for option in options.items())
    added = {
        b"PYTHONPATH": b":".join(filter(None, (os.fsencode(_AT_START), folders))),
        b"PROF_TORCH_OPTIONS": words.encode(),
    }
    if folders is not None:
        added[b"PROF_TORCH_PYTHONPATH"] = folders
    return added


def _executable():
    """The file to execute: under the name that it was started by, which the kernel shows, unless
    that is a script around it."""
    try:
        if os.path.samefile(sys.executable, "/proc/self/exe"):
            return sys.executable
        return os.readlink("/proc/self/exe")
    except OSError:
        return sys.executable
