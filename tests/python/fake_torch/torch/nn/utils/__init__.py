# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
from .clip_grad import clip_grad_norm_
