# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Calls the graphs that it made."""


def call_at_runtime(graph, x):
    return graph(x)
