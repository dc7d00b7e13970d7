// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX's types without its implementation: this library handles NVTX calls and makes none.
#pragma once

#ifndef NVTX_NO_IMPL
#define NVTX_NO_IMPL
#endif
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
