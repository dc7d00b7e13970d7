# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
