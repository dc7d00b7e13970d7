# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
"""What goes wrong, as one line: where, what, and what to do."""


class Error(Exception):
    """The line is that of prof-report wherever it has one."""

    __module__ = "prof_trace"  # as a traceback names it
