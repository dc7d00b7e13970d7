// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/failing_allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local bool t_fails = false;

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = t_fails ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace prof::test {

FailingAllocations::FailingAllocations() { t_fails = true; }
FailingAllocations::~FailingAllocations() { t_fails = false; }

}  // namespace prof::test
