// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The function that stands in for one of a library's. Its parameters are those of its family
// (cublas/gemm.hpp and others), in the calling convention's terms: handles and all pointers are
// pointers, enums are int. The family describes the call's request; the call itself passes through
// unchanged. A C++ exception may pass through, too.
#pragma once

#include <array>
#include <cstddef>

#include "collectors/libcalls/call_facts.hpp"
#include "collectors/libcalls/real_function.hpp"
#include "collectors/libcalls/reported_call.hpp"

namespace prof::collectors {

/// The enum that all functions of these libraries return.
using Status = int;

/// Most calls need a tenth of it; grouped ones need more.
inline constexpr std::size_t kCallRoom = 4096;

/// A family of functions whose calls are not reported: they make objects that calls refer to.
template <typename Family>
concept IsOnlyWatched = requires {
  typename Family::OnlyWatched;
};

/// An Entry describes one function of one major release: kSymbol, kLibrary (soname and symbol
/// version), kTypes for its Family, and the Release, with kSource and the functions that families
/// need.
template <typename Entry, typename Function = typename Entry::Family::Function>
struct Wrapper;

template <typename Entry, typename... Argument>
struct Wrapper<Entry, Status(Argument...)> {
  static inline constinit RealFunction real{Entry::kSymbol, Entry::kLibrary};

  static Status call(Argument... arguments) {
    auto* const function = real.template as<Status(Argument...)>();
    if constexpr (IsOnlyWatched<typename Entry::Family>) {
      if constexpr (requires { Entry::Family::watch_before(arguments...); }) {
        Entry::Family::watch_before(arguments...);
      }
      const Status status = function(arguments...);
      Entry::Family::watch(status, arguments...);
      return status;
    } else {
      return reported(function, arguments...);
    }
  }

 private:
  static Status reported(Status (*function)(Argument...), Argument... arguments) {
    if (!wants_call()) {
      const InsideWrapped inside;
      return function(arguments...);
    }
    std::array<std::byte, kCallRoom> room;  // Not initialized: only the bytes written are read.
    CallFacts facts(room, Entry::Release::kSource, Entry::kSymbol);
    const InsideWrapped inside;
    Entry::Family::template describe<typename Entry::Release>(facts, Entry::kTypes, arguments...);
    const ReportedCall call(facts);
    return function(arguments...);
  }
};

template <typename Entry>
using CallOf = typename Entry::Family::Function;

}  // namespace prof::collectors
