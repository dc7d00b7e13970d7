// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that runs out: replaces the global operator new of the test that links it.
#pragma once

namespace prof::test {

/// While it lives, each allocation by operator new on this thread throws std::bad_alloc.
class FailingAllocations {
 public:
  FailingAllocations();
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;
};

}  // namespace prof::test
