// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/mapped_memory.hpp"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <mutex>

namespace prof::collectors {
namespace {

constexpr std::size_t kMappingBytes = std::size_t{1} << 20;

constinit MappedMemory g_memory;

std::byte* map(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

/// The size class: 0 for up to 16 bytes.
std::size_t class_of(std::size_t bytes) {
  return bytes <= 16 ? 0 : static_cast<std::size_t>(std::bit_width(bytes - 1)) - 4;
}

}  // namespace

MappedMemory& mapped_memory() noexcept { return g_memory; }

void* MappedMemory::allocate(std::size_t bytes) {
  const std::size_t index = class_of(bytes);
  if (index >= kClasses) return map(bytes);
  const std::size_t size = std::size_t{16} << index;
  const std::lock_guard lock(mutex_);
  if (Free* block = free_[index]; block != nullptr) {
    free_[index] = block->next;
    return block;
  }
  if (rest_bytes_ < size) {
    rest_ = map(kMappingBytes);  // The abandoned rest mostly has only its first page touched.
    rest_bytes_ = kMappingBytes;
  }
  std::byte* block = rest_;
  rest_ += size;
  rest_bytes_ -= size;
  return block;
}

void MappedMemory::release(void* block, std::size_t bytes) noexcept {
  const std::size_t index = class_of(bytes);
  if (index >= kClasses) {
    munmap(block, bytes);
    return;
  }
  const std::lock_guard lock(mutex_);
  free_[index] = new (block) Free{free_[index]};
}

}  // namespace prof::collectors
