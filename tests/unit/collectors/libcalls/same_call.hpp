// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a wrapper's parameters are those of the toolkit's header, as the calling convention
// passes them: as many, each a pointer, an integer or enum of the same size, or the same.
#pragma once

#include <type_traits>

namespace prof::collectors {

template <typename Ours, typename Theirs>
constexpr bool kIsPassedAlike =
    std::is_pointer_v<Ours>
        ? std::is_pointer_v<Theirs>
        : !std::is_pointer_v<Theirs> &&
              std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
              sizeof(Ours) == sizeof(Theirs);

template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename OurResult, typename... Ours, typename Result, typename... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) struct SameCall<OurResult(Ours...), Result(Theirs...)>
    : std::bool_constant<kIsPassedAlike<OurResult, Result> &&
                         (kIsPassedAlike<Ours, Theirs> && ...)> {
};

}  // namespace prof::collectors
