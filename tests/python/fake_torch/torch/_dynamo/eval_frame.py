# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls what the program compiles, which may have parts that run as they are."""


def compile_wrapper(function, x):
    return function(x)
