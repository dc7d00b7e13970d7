# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""How programs end."""
from processes.scenario import Scenario

WORK = "push a; work k 500; pop; sync; "

SCENARIOS = [
    Scenario("return", "main returns", WORK + "out done", quick=True),
    Scenario("exit code", "exit(7)", WORK + "out done; err own; exit 7", quick=True),
    Scenario("SIGCHLD ignored, exit", "trap '' CHLD before prof-run; exit(7)", WORK + "exit 7",
             shell="trap '' CHLD; exec \"$@\"", quick=True),
]
