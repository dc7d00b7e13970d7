// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A small NVTX tool linked into the test program: what it records is what a real tool would see.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace prof::test {

/// What the program told NVTX since the last clear(), in the default domain, on any thread.
struct NvtxCapture {
  std::vector<std::string> events;    ///< "+message" for a push, "-" for a pop
  std::size_t registrations = 0;      ///< calls that registered a string
  std::size_t registered_pushes = 0;  ///< pushes by handle, which copy no text

  void clear() { *this = NvtxCapture{}; }
};

/// The one capture of this process. Read it only while no other thread annotates.
NvtxCapture& nvtx_capture();

/// While false, registering a string answers null, as it does when no tool listens.
void set_nvtx_registers_strings(bool on);

}  // namespace prof::test
