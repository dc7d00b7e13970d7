# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""Runs and annotates a script, or a module with -m, as python3 would: see --help."""
import argparse
import os
import sys

if not __package__:  # python3 PATH/prof_torch script.py: with no PYTHONPATH
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from prof_torch import runner
from prof_torch.session import Options
from prof_torch.steps import MODES


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python3 -m prof_torch",
        usage="%(prog)s [options] (SCRIPT | -m MODULE) [argument ...]",
        description="Runs a program and marks its modules, ops and training steps as NVTX ranges. "
                    "The program itself, its output and its exit code are unchanged.")
    parser.add_argument("--steps", choices=MODES, default="optimizer",
                        help="what ends a training step: an optimizer step (default), "
                             "prof_torch.step() called by the program, or nothing")
    parser.add_argument("--no-ops", dest="ops", action="store_false",
                        help="no ops")
    parser.add_argument("--no-shapes", dest="record_shapes", action="store_false",
                        help="no shapes of ops")
    parser.add_argument("--no-layers", dest="layers", action="store_false",
                        help="no ranges of modules and optimizers")
    parser.add_argument("--mark", choices=Options.MARK, default="wanted",
                        help="modules and ops: outside of the windows of prof-run --capture only "
                             "what goes into CUDA graphs (default), or always")
    parser.add_argument("--mark-every", type=int, default=1, metavar="N",
                        help="modules and ops: in the first three steps and then in every Nth; "
                             "the report knows others by the marked step that launches the same")
    parser.add_argument("--emit-nvtx", dest="observe", action="store_false",
                        help="ops by torch's emit_nvtx, also where libprof_torch.so could observe "
                             "them, which costs less and tells more")
    parser.add_argument("-m", dest="module", action="store_true",
                        help="run a module, as in python3 -m")
    parser.add_argument("program", metavar="SCRIPT", help="script path, or module name with -m")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    chosen = parser.parse_args(arguments)
    options = {name: value for name, value in vars(chosen).items()
               if name not in ("module", "program", "arguments")}
    try:
        Options(**options)
    except ValueError as error:
        parser.error(str(error).replace("mark_every", "--mark-every"))
    return chosen, options


def main():
    chosen, options = parse(sys.argv[1:])
    runner.start_with_torch(options)
    runner.run([chosen.program] + chosen.arguments, chosen.module)


main()
