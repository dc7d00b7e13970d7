# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
from .. import _C
from . import profiler


def _profiler_enabled():
    return _C.state.profiler is not None
