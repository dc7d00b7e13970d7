# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Runs a script, or a module with -m, as python3 would, and annotates it: see --help."""
import argparse
import os
import sys

if not __package__:  # python3 PATH/prof_torch script.py: with no PYTHONPATH
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from prof_torch import runner
from prof_torch.steps import MODES


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python3 -m prof_torch", usage="%(prog)s [options] (SCRIPT | -m MODULE) [argument ...]",
        description="Runs a program and marks, as NVTX ranges, which module, op and training step it is in. "
                    "The program is not changed and keeps its output and exit code.")
    parser.add_argument("--steps", choices=MODES, default="optimizer",
                        help="what ends a training step: an optimizer's step (the default), "
                             "prof_torch.step() in the program, or nothing")
    parser.add_argument("--no-ops", dest="ops", action="store_false", help="no ranges of ops (emit_nvtx)")
    parser.add_argument("--no-shapes", dest="record_shapes", action="store_false", help="ops without their shapes")
    parser.add_argument("--no-layers", dest="layers", action="store_false", help="no ranges of modules and optimizers")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module, as in python3 -m")
    parser.add_argument("program", metavar="SCRIPT", help="the script, or the module's name")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own")
    return parser.parse_args(arguments)


def main():
    options = vars(parse(sys.argv[1:]))
    is_module = options.pop("module")
    command = [options.pop("program")] + options.pop("arguments")
    runner.start_with_torch(options)
    runner.run(command, is_module)


main()
