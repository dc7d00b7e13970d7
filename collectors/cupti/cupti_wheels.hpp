// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The folders in which NVIDIA's wheels (nvidia-cuda-cupti and nvidia-cuda-cupti-cu12) put libcupti:
// in folder nvidia of a Python installation's packages. A program with these packages needs no
// toolkit. Any thread.
#pragma once

#include <string>
#include <vector>

namespace prof::collectors {

/// The folders, in the order in which to try them: of the Python installations that have one of
/// `libraries`, paths of mapped libraries; then of the one that the collector was installed into,
/// whose path is `collector`. They need not exist.
std::vector<std::string> cupti_wheel_folders(const std::vector<std::string>& libraries,
                                             const std::string& collector);

/// The folders for this process, from its mapped libraries.
std::vector<std::string> cupti_wheel_folders();

}  // namespace prof::collectors
