// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The library's own function behind a wrapped one, looked up by its symbol's version: that of the
// library's major release, which is its soname. Threads: any; takes no lock but the loader's,
// allocates no memory of its own.
#pragma once

#include <atomic>

namespace prof::collectors {

class RealFunction {
 public:
  /// `library`: soname and symbol version, as "libcublas.so.13".
  constexpr RealFunction(const char* symbol, const char* library) noexcept
      : symbol_(symbol), library_(library) {}

  /// Null: the library that the process has loaded lacks the function.
  template <typename Function>
  [[nodiscard]] Function* as() noexcept {
    void* found = address_.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]]
      found = find();
    return reinterpret_cast<Function*>(found);
  }

  /// The program has found `address` by itself. False: it is the function of another copy of the
  /// library, not the one that is called here.
  bool accept(void* address) noexcept {
    void* known = nullptr;
    return address_.compare_exchange_strong(known, address, std::memory_order_relaxed) ||
           known == address;
  }

  [[nodiscard]] const char* symbol() const noexcept { return symbol_; }
  [[nodiscard]] const char* library() const noexcept { return library_; }

 private:
  void* find() noexcept;

  const char* const symbol_;
  const char* const library_;
  std::atomic<void*> address_{nullptr};
};

}  // namespace prof::collectors
