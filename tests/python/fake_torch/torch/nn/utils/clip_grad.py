# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
def clip_grad_norm_(parameters, max_norm):
    return max_norm
