// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Converts between the layout of a linear layer, (batch, tokens, parts, heads, size), and that of
// attention, (parts, batch, heads, tokens, size). The three parts of query, key and value make
// parts = 3, the output of attention alone parts = 1. Each function is the other's gradient.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "common/cpu_tensor.hpp"

namespace ref {

struct HeadSizes {
  int batch, tokens, heads, size;  // size, of a head: a multiple of 8
};

/// x (batch, tokens, parts, heads, size) to out (parts, batch, heads, tokens, size).
void split_heads(cudaStream_t stream, const __nv_bfloat16* x, __nv_bfloat16* out, int parts,
                 const HeadSizes& sizes);
/// x (parts, batch, heads, tokens, size) to out (batch, tokens, parts, heads, size).
void merge_heads(cudaStream_t stream, const __nv_bfloat16* x, __nv_bfloat16* out, int parts,
                 const HeadSizes& sizes);

namespace cpu {
/// The position in attention's layout of an element in the linear layer's layout.
inline std::size_t split_index(std::size_t i, std::size_t parts, const HeadSizes& s) {
  const auto tokens = static_cast<std::size_t>(s.tokens);
  const auto heads = static_cast<std::size_t>(s.heads);
  const auto size = static_cast<std::size_t>(s.size);
  const std::size_t d = i % size;
  const std::size_t head = i / size % heads;
  const std::size_t part = i / (size * heads) % parts;
  const std::size_t token = i / (size * heads * parts) % tokens;
  const std::size_t sample = i / (size * heads * parts * tokens);
  return (((part * static_cast<std::size_t>(s.batch) + sample) * heads + head) * tokens + token) *
             size +
         d;
}
inline Tensor split_heads(const Tensor& x, std::size_t parts, const HeadSizes& s) {
  Tensor out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[split_index(i, parts, s)] = x[i];
  return out;
}
inline Tensor merge_heads(const Tensor& x, std::size_t parts, const HeadSizes& s) {
  Tensor out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[split_index(i, parts, s)];
  return out;
}
}  // namespace cpu

}  // namespace ref
