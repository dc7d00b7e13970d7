# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Odd programs and how they end, with and without the profiler; scenarios.py runs them."""
