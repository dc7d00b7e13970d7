# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
compiling = False


def is_compiling():
    return compiling
