// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/failing_allocations.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local bool t_fails = false;

void* allocate(std::size_t bytes) { return t_fails ? nullptr : std::malloc(bytes); }

}  // namespace

void* operator new(std::size_t bytes) {
  void* const memory = allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
// A sanitizer's own does not call the one above.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace prof::test {

FailingAllocations::FailingAllocations() { t_fails = true; }
FailingAllocations::~FailingAllocations() { t_fails = false; }

}  // namespace prof::test
