// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a program in which CUDA never started was meant to use it, unlike the shells and helpers
// of a run. Any thread, at the end of the program.
#pragma once

namespace prof::collectors {

/// True if the program marks NVTX ranges, has loaded the CUDA runtime, or holds GPU code, which
/// nvcc puts into a section of its own: by default the runtime is linked in statically, without a
/// file name.
bool is_made_for_cuda();

}  // namespace prof::collectors
