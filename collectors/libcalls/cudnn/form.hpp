// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of cuDNN's functions for one layer each, which have tens of forms of parameters. A form is
// a word with a letter for each parameter (functions.inc), which says how it is passed and what it
// states; operands are arguments of the op in the order of their parameters.
//   p pointer, i int, z size_t, d double   passed on alone
//   t f s S   descriptor of an operand: a tensor, a filter, RNN data, attention's sequence data
//   T         descriptor of the operands v that follow: null where the program has none
//   h         scalar in the host's memory: where it is 0, the operand t that follows is not read
//   b         scalar in the host's memory: where it is not 0, the result that follows is read, too
//   c a o r x n m   descriptor of what to do: convolution, activation, pooling, reduction,
//                   element-wise operation, RNN, attention
//   g k j     int: the algorithm, the mode, what a normalization does after it
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "collectors/libcalls/call_facts.hpp"
#include "collectors/libcalls/cudnn/descriptors.hpp"

namespace prof::collectors {

/// The op that a function performs. Empty name: its descriptor determines the op.
struct CudnnOp {
  const char* name;
  const char* part = nullptr;  ///< Part of a gradient: "data", "weight", "bias".
  bool is_backward = false;    ///< Set if the descriptor determines the op.
};

struct CudnnArgument {
  explicit CudnnArgument(const void* value) : pointer(value) {}
  explicit CudnnArgument(int value) : number(value) {}
  explicit CudnnArgument(std::size_t /*value*/) {}
  explicit CudnnArgument(double /*value*/) {}

  const void* pointer = nullptr;
  int number = 0;
};

void write_call(CallFacts& facts, CudnnGetters& getters, const CudnnOp& op,
                std::string_view letters, std::span<const CudnnArgument> arguments);

template <std::size_t kSize>
struct Letters {
  consteval Letters(const char (&from)[kSize]) { std::copy_n(from, kSize, text); }
  static constexpr std::size_t kCount = kSize - 1;
  char text[kSize];
};

template <char kLetter>
using PassedAs =
    std::conditional_t<kLetter == 'd', double,
                       std::conditional_t<kLetter == 'z', std::size_t,
                                          std::conditional_t<kLetter == 'i' || kLetter == 'g' ||
                                                                 kLetter == 'k' || kLetter == 'j',
                                                             int, void*>>>;

template <Letters kLetters, typename = std::make_index_sequence<kLetters.kCount>>
struct Form;

template <Letters kLetters, std::size_t... kAt>
struct Form<kLetters, std::index_sequence<kAt...>> {
  using Function = int(PassedAs<kLetters.text[kAt]>...);
  template <typename Release>
  static void describe(CallFacts& facts, const CudnnOp& op,
                       PassedAs<kLetters.text[kAt]>... arguments) {
    const CudnnArgument all[] = {CudnnArgument(arguments)...};
    write_call(facts, Release::getters(), op, {kLetters.text, kLetters.kCount}, all);
  }
};

}  // namespace prof::collectors
