# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Runs and annotates a program, as python3 would: see --help. This process becomes the interpreter
that runs it, with the command line that it has without prof_torch (interpreter.py)."""
import os
import sys

_STANDARD = os.path.dirname(os.__file__)
_PARENT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What the program may import, without the entry that stands for this file; and what we do.
_search_path = sys.path[0 if getattr(sys.flags, "safe_path", False) else 1 :]
sys.path[:] = [_STANDARD, _STANDARD + "/lib-dynload", _PARENT]

import argparse  # noqa: E402

from prof_torch import interpreter  # noqa: E402
from prof_torch.options import MARK, STEPS, Options  # noqa: E402


def make_parser():
    """The parser of our options, and those that take a value."""
    parser = argparse.ArgumentParser(
        prog="python3 -m prof_torch",
        allow_abbrev=False,
        usage="%(prog)s [options] (SCRIPT | -m MODULE | -c CODE | -) [argument ...]",
        description="Runs a program and marks its modules, ops and training steps as NVTX ranges. "
        "The program itself, its output and its exit code are unchanged.",
        epilog="Options of python3 stand before -m prof_torch.",
    )
    with_value = [
        parser.add_argument(
            "--steps",
            choices=STEPS,
            default="optimizer",
            help="what ends a training step: an optimizer step (default), "
            "prof_torch.step() called by the program, or nothing",
        ),
        parser.add_argument(
            "--mark",
            choices=MARK,
            default="wanted",
            help="modules and ops: outside of the windows of prof-run --capture "
            "only what goes into CUDA graphs (default), or always",
        ),
        parser.add_argument(
            "--mark-every",
            type=int,
            default=1,
            metavar="N",
            help="modules and ops: in the first three steps and then in every Nth; "
            "the report knows others by the marked step that launches the "
            "same",
        ),
    ]
    parser.add_argument("--no-ops", dest="ops", action="store_false", help="no ops")
    parser.add_argument(
        "--no-shapes", dest="record_shapes", action="store_false", help="no shapes of ops"
    )
    parser.add_argument(
        "--no-layers",
        dest="layers",
        action="store_false",
        help="no ranges of modules and optimizers",
    )
    parser.add_argument(
        "--emit-nvtx",
        dest="observe",
        action="store_false",
        help="ops by torch's emit_nvtx, also where libprof_torch.so could observe "
        "them, which costs less and records more",
    )
    return parser, [name for action in with_value for name in action.option_strings]


def split(words, with_value):
    """Our options, and the program with its arguments, which are left as they are."""
    end = 0
    while end < len(words) and (words[end] == "-h" or words[end][:2] == "--" != words[end]):
        end += 2 if words[end] in with_value else 1
    return words[:end], words[end:]


def main():
    parser, with_value = make_parser()
    ours, program = split(sys.argv[1:], with_value)
    options = vars(parser.parse_args(ours))
    if not program:
        parser.error("a program is missing: SCRIPT, -m MODULE, -c CODE or -")
    if program[0].startswith("-") and not (program[0] in ("-", "--") or program[0][1] in "mc"):
        parser.error("unknown option %s; those of python3 stand before -m prof_torch" % program[0])
    try:
        Options(**options)
    except ValueError as error:
        parser.error(str(error).replace("mark_every", "--mark-every"))
    interpreter.become(program, options, _search_path)


main()
