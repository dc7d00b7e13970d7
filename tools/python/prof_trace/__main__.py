# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""`python3 -m prof_trace` is the prof-report that this package finds, with the same arguments."""
import os
import sys

from .errors import Error
from .program import find


def main() -> None:
    try:
        program = find()
    except Error as error:
        sys.exit("prof_trace: %s" % error)
    sys.stdout.flush()
    os.execv(program, ["prof-report", *sys.argv[1:]])


main()
