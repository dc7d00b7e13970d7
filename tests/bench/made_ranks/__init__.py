# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Traces of many ranks, made from one recorded step: see ../make_ranks.py."""
