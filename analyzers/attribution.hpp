// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// What the analyzers say about one piece of GPU work. Facts that are not known are absent (nullopt,
// empty), never 0. Every attributed field says where it comes from. docs/conventions.md has the
// rules.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libprof/model/records.hpp"
#include "libprof/model/tensor.hpp"

namespace prof {

enum class Provenance : std::uint8_t {
  kNone,
  kExact,      ///< The launch's own range said it.
  kInherited,  ///< From another launch: a backward op from its forward op, a graph replay from its
               ///< capture.
  kEstimated,  ///< From a name or a rule of thumb.
};

std::string_view name(Provenance provenance);  ///< "none", "exact", "inherited", "estimated".

/// How far a formula is to be trusted (docs/conventions.md).
enum class Basis : std::uint8_t { kUnknown, kExact, kEstimated };

/// A matrix product as cuBLAS is called, column-major: C[m,n] = A[m,k] B[k,n], `batch` times.
struct GemmShape {
  std::int64_t m = 0, n = 0;
  std::optional<std::int64_t> k;  ///< Absent for a bias, which has only m and n.
  std::int64_t batch = 1;
};

/// Cost of one op instance. Owned by the instance; its kernels carry shares of it.
struct OpCost {
  std::optional<double> flops;
  std::optional<double> bytes;  ///< read + written.
  Basis basis = Basis::kUnknown;
  /// Bytes are estimated whatever `basis` says: the element types come from the kernel's name.
  bool types_from_kernel = false;
  /// The parts of `bytes`; both absent where only the sum is known, one where only the other is.
  std::optional<double> read = {}, written = {};
  /// Of a collective, in the terms of nccl-tests: the size that its algorithm bandwidth divides by
  /// time, and what its bus bandwidth does (absent where the number of ranks is not known).
  std::optional<double> algorithm_bytes = {}, bus_bytes = {};
};

enum class TensorCore : std::uint8_t { kUnknown, kNo, kYes };

/// Sizes of a block of a matrix product: what a threadblock computes, or one instruction. Of an
/// attention kernel: rows, columns, and the head's size as k.
struct BlockShape {
  std::int32_t m = 0, n = 0;
  std::optional<std::int32_t> k;
  bool operator==(const BlockShape&) const = default;
};

/// In what an op and the name of its kernel cannot both be right; contradictions.inc tells each.
enum class Contradiction : std::uint8_t {
#define PROF_CONTRADICTION(kind, word, text) kind,
#include "analyzers/contradictions.inc"
#undef PROF_CONTRADICTION
  kCount
};
inline constexpr auto kContradictions = static_cast<std::size_t>(Contradiction::kCount);
using Contradictions = std::bitset<kContradictions>;

/// What an op says that the names of its kernels can contradict. All absent: it says nothing.
struct OpClaims {
  std::uint32_t input_types = 0;    ///< A bit for each DType of its inputs, all of them known.
  bool no_product = false;          ///< Neither the op nor the one inside it is a product.
  bool adds_products = false;       ///< A product over more than one.
  bool inner_sizes_differ = false;  ///< Of a product's operands: no such product exists.
  std::int64_t head_size = 0;       ///< Of attention: width of a query and a key.
  std::string_view layout = {};     ///< As KernelFacts::layout, where the op states it.
};

/// What is equal for all launches with the same stack texts and the same kernel: computed once and
/// shared by all steps. Never changes after it is made. Equal attributions may be several objects:
/// compare contents, not addresses.
struct OpAttribution {
  std::string layer;        ///< Path joined with ':'; empty: none.
  std::string op;           ///< What a person calls: "linear".
  std::string op_inner;     ///< The innermost framework op; equal to op where there is one only.
  std::string module;       ///< "prof", "aten", "Optimizer", ...
  std::string trace;        ///< Where in the program's source it was called, empty: not known.
  bool is_product = false;  ///< Its cost is that of matrix products, convolutions or attention.
  bool known_op = false;    ///< A registered op model knows the op; else it counts as unattributed.
  Direction direction = Direction::kNone;
  Part part = Part::kNone;
  std::vector<Tensor> tensors;
  std::string params;  ///< As reports print it: "M=512,N=32768,K=13".
  std::optional<GemmShape> gemm;
  DType dtype = DType::kUnknown;  ///< The dtype that the op computes in.
  OpCost cost;
  OpClaims claims;
  Provenance layer_from = Provenance::kNone;
  Provenance op_from = Provenance::kNone;
  Provenance direction_from = Provenance::kNone;
  Provenance shapes_from = Provenance::kNone;
  Provenance dtype_from = Provenance::kNone;
};

/// Kernel facts that follow from its name alone, computed once a name.
struct KernelFacts {
  std::string demangled;  ///< Full C++ name, or the name itself where it is not mangled.
  std::string short_name;
  TensorCore tensor_core = TensorCore::kUnknown;
  bool is_helper = false;   ///< Split-K reduction, workspace fill, ...: not the op's main kernel.
  bool is_product = false;  ///< Computes a matrix product, a convolution or attention.
  std::string_view family;  ///< "cublas/gemm"; empty: not known. Never goes away.
  std::optional<BlockShape> tile, instruction;
  DType operand_dtype = DType::kUnknown;      ///< What is multiplied, or worked on.
  DType accumulator_dtype = DType::kUnknown;  ///< Of matrix products.
  DType output_dtype = DType::kUnknown;       ///< Of matrix products.
  std::optional<bool> split_k;                ///< Several threadblocks share the sum over k.
  std::string_view
      layout;  ///< Of A and B as cuBLAS counts: "tn"; empty: not known. Never goes away.
};

/// How backward nodes that launched something were tied to their forward ops.
struct LinkCounts {
  std::uint64_t linked = 0;      ///< By number and name, or by what made their input.
  std::uint64_t other_name = 0;  ///< By number alone: no range of that number had the name.
  std::uint64_t ambiguous =
      0;                     ///< Of the above: ranges of several threads fit; the last was taken.
  std::uint64_t missed = 0;  ///< No range of that number is in the trace.
};

struct Attribution {
  std::shared_ptr<const OpAttribution> op;    ///< Never null.
  std::shared_ptr<const KernelFacts> kernel;  ///< Null for copies and sets.
  std::optional<std::int64_t> step;  ///< Number of the innermost step; absent outside steps.
  std::uint64_t op_id = 0;           ///< The op instance (its range's id), 0: none.
  bool first_of_op = false;          ///< The first row of its op instance: counts instances.
  bool main = true;                  ///< Main kernel of its op, or a helper.
  /// Of the cost; sums to 1 over the kernels that share it: those of the op instance, or of the
  /// part of it that has a cost of its own (a cast inside a linear).
  double share = 0;
  std::optional<double> flops;          ///< share * cost.flops, in whole numbers that sum exactly
  std::optional<double> bytes;          ///< share * cost.bytes, likewise
  std::optional<double> read, written;  ///< of the bytes; they are all of them where both are known
  /// share * cost.algorithm_bytes and share * cost.bus_bytes, of collectives.
  std::optional<double> algorithm_bytes, bus_bytes;

  /// The autograd sequence number of the op, of a backward op that of its forward op.
  std::optional<std::uint64_t> seq;
  std::vector<std::uint64_t> altseq;  ///< Other numbers on the stack, outermost first, at most 3.
  std::uint32_t sub = 0;              ///< The how manieth kernel of its op instance, from 0.
  Contradictions contradictions;      ///< Between the op and the kernel's name.
};

}  // namespace prof
