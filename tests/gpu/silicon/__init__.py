# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
"""Costs that libprof models, compared with what the GPU's counters count: the parts of ncu_audit.py
that need no GPU."""
