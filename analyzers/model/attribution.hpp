// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The analyzers' statements about one piece of GPU work. Unknown facts are absent (nullopt, empty),
// never 0. Every attributed field records its provenance. docs/conventions.md has the rules.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzers/model/quantities.hpp"
#include "libprof/model/records.hpp"
#include "libprof/model/tensor.hpp"

namespace prof {

enum class Provenance : std::uint8_t {
  kNone,
  kExact,       ///< Stated by the launch's own range.
  kInherited,   ///< From elsewhere: a backward op from its forward op, a graph replay from its
                ///< capture, work without an op from the call of the module around it.
  kEstimated,   ///< From a name or a rule of thumb.
  kUpperBound,  ///< Of FLOPs: no more than that; how much less depends on values.
};

/// "none", "exact", "inherited", "estimated", "upper_bound".
std::string_view name(Provenance provenance);

/// How far a formula can be trusted (docs/conventions.md).
/// An upper bound is one of FLOPs; bytes beside it are estimated.
enum class Basis : std::uint8_t { kUnknown, kExact, kEstimated, kUpperBound };

/// A matrix product as cuBLAS is called, column-major: C[m,n] = A[m,k] B[k,n], `batch` times.
struct GemmShape {
  std::int64_t m = 0, n = 0;
  std::optional<std::int64_t> k;  ///< Absent for a bias, which has only m and n.
  std::int64_t batch = 1;
};

/// Cost of one op instance. Owned by the instance; its kernels carry shares of it.
struct OpCost : Quantities {
  Basis basis = Basis::kUnknown;
  /// Bytes are estimated regardless of `basis`: the element types come from the kernel's name.
  bool types_from_kernel = false;
};

/// A tensor that an op reads or writes; an op that works in place does both.
struct Operand {
  double bytes = 0;
  bool is_read = false, is_written = false;
};

enum class TensorCore : std::uint8_t { kUnknown, kNo, kYes };

/// Block sizes of a matrix product: what a thread block or one instruction computes. For an
/// attention kernel: rows, columns, and the head size as k.
struct BlockShape {
  std::int32_t m = 0, n = 0;
  std::optional<std::int32_t> k;
  bool operator==(const BlockShape&) const = default;
};

/// Where an op and its kernel's name contradict each other; contradictions.inc defines each kind.
enum class Contradiction : std::uint8_t {
#define PROF_CONTRADICTION(kind, word, text) kind,
#include "analyzers/model/contradictions.inc"
#undef PROF_CONTRADICTION
  kCount
};
inline constexpr auto kContradictions = static_cast<std::size_t>(Contradiction::kCount);
using Contradictions = std::bitset<kContradictions>;

/// Statements of an op that its kernels' names can contradict. All absent: it states nothing.
struct OpClaims {
  std::uint32_t input_types = 0;    ///< One bit for each input DType; 0 unless all are known.
  bool no_product = false;          ///< Neither the op nor its inner op is a product.
  bool adds_products = false;       ///< A product that sums over more than one element.
  bool inner_sizes_differ = false;  ///< The operands of a product do not fit together.
  std::int64_t head_size = 0;       ///< For attention: width of a query and a key.
  std::string_view layout = {};     ///< As KernelFacts::layout, where the op states it.
};

struct GradientAttributions;

/// The GPUs between which a collective, send or receive runs, as the library states them.
struct CommunicationGroup {
  std::optional<std::int64_t> communicator;      ///< Equal on all its ranks.
  std::optional<std::int64_t> ranks;             ///< How many there are.
  std::optional<std::int64_t> rank, peer, root;  ///< Numbers in the communicator.
};

/// The part that all launches with the same stack texts and the same kernel have in common:
/// computed once and shared by all steps. Immutable. Equal attributions may be distinct objects:
/// compare contents, not addresses.
struct OpAttribution {
  std::string layer;         ///< Path joined with ':'; empty: none.
  std::string op;            ///< The op the user called: "linear".
  std::string ops;           ///< For generated code: all ops that the kernel computes.
  std::string layers;        ///< For generated code of several layers: all, with their shares.
  std::string op_inner;      ///< The innermost framework op; equal to op if there is only one.
  std::string module;        ///< "prof", "aten", "Optimizer", ...
  std::string trace;         ///< Where the program calls it (source line); empty: unknown.
  bool is_product = false;   ///< Its cost is mostly matrix products, convolutions or attention.
  bool is_plain_op = false;  ///< `op` is a plain range's name: what it computes is not known.
  bool known_op = false;     ///< A registered op model knows the op; otherwise it is unattributed.
  bool ordering_prepares = false;  ///< Sorts and scans are not its work: they are helpers.
  bool is_recomputed = false;      ///< A forward op that runs again in the backward pass.
  Direction direction = Direction::kNone;
  Part part = Part::kNone;
  std::vector<Tensor> tensors;
  std::string params;  ///< As reports print it: "M=512,N=32768,K=13".
  std::optional<GemmShape> gemm;
  DType dtype = DType::kUnknown;  ///< The dtype the op computes in.
  OpCost cost;
  /// Operands of the op whose cost this is; empty where sizes are unknown.
  std::vector<Operand> operands;
  OpClaims claims;
  /// The gradients of an op that computes several with kernels of their own; null for any other op.
  std::shared_ptr<const GradientAttributions> gradients;
  /// Both candidates of a linear layer's gradient whose sizes fit data and weight: the layout of
  /// the kernel that computes it decides between them. Null for any other op.
  std::shared_ptr<const GradientAttributions> either;
  CommunicationGroup group;  ///< The group of work between GPUs; all absent for any other work.
  Provenance layer_from = Provenance::kNone;
  Provenance op_from = Provenance::kNone;
  Provenance direction_from = Provenance::kNone;
  Provenance shapes_from = Provenance::kNone;
  Provenance dtype_from = Provenance::kNone;
};

/// The gradients that one op computes, by Part: of data, of the weight (of two operands that are
/// neither, the first and the second), and of the bias.
struct GradientAttributions {
  static constexpr std::size_t kParts = 4;
  /// The attribution of the kernels of each gradient; null: the gradient is not computed.
  std::array<std::shared_ptr<const OpAttribution>, kParts> of;
  bool is_stated = false;     ///< It is known which ones are computed; if not, `of` has them all.
  bool weight_first = false;  ///< The weight's gradient is computed before that of the data.
  bool in_order = true;  ///< Two kernels that no name distinguishes compute them in this order.
  bool has_weight_layout = false;  ///< A kernel of layout "nt" computes the weight's gradient.

  [[nodiscard]] const std::shared_ptr<const OpAttribution>& at(Part part) const {
    return of[static_cast<std::size_t>(part)];
  }
};

/// How a kernel of PyTorch treats elements, where its name says so (kernels/element_traits.hpp).
struct ElementTraits {
  bool copies = false;  ///< It copies elements, maybe of one type to another.
  /// The argument type of its element function: the type that it reads, unless it converts on the
  /// way.
  DType copied_from = DType::kUnknown;
  DType copied_to = DType::kUnknown;
  std::uint8_t size = 0;     ///< Bytes of an element whose type is not known; 0: nor is that.
  bool has_number = false;   ///< An operand of one element is an argument, not in memory.
  bool accumulates = false;  ///< It adds to what is at the indices.
  bool operator==(const ElementTraits&) const = default;
};

/// Facts that follow from a kernel's name alone, computed once per name.
struct KernelFacts {
  std::string demangled;  ///< Full C++ name, or the name itself where it is not mangled.
  std::string short_name;
  TensorCore tensor_core = TensorCore::kUnknown;
  bool is_helper = false;  ///< Split-K reduction, workspace fill, ...: not the op's main kernel.
  bool is_communication = false;  ///< Between GPUs.
  bool is_product = false;        ///< Computes a matrix product, a convolution or attention.
  bool is_ordering = false;       ///< Sorts, scans, selects or numbers elements.
  std::string_view family;        ///< "cublas/gemm"; empty: unknown. Static text.
  std::optional<BlockShape> tile, instruction;
  std::optional<BlockShape> cluster;          ///< Blocks of a cluster along m and n.
  DType operand_dtype = DType::kUnknown;      ///< Type of the multiplied or processed elements.
  DType accumulator_dtype = DType::kUnknown;  ///< Accumulator type of matrix products.
  DType output_dtype = DType::kUnknown;       ///< Result type of matrix products.
  std::optional<bool> split_k;                ///< Several thread blocks share the sum over k.
  /// Layout of A and B in cuBLAS's terms: "tn"; empty: unknown. Static text.
  std::string_view layout;
  ElementTraits elements;
  Part gradient = Part::kNone;  ///< By its name: "dgrad" is data, "wgrad" is weight.
};

/// How backward nodes that launched work were linked to their forward ops.
struct LinkCounts {
  std::uint64_t linked = 0;      ///< By number and name, or by the producer of their input.
  std::uint64_t other_name = 0;  ///< By number alone: no range with that number had the name.
  /// How many of the above have matching ranges in several threads; the last range was used.
  std::uint64_t ambiguous = 0;
  std::uint64_t missed = 0;  ///< No range with that number is in the trace.
};

/// The autograd sequence numbers on a stack: the op's own, then others, outermost first.
class SequenceNumbers {
 public:
  /// One that is there already, or one too many, is left out.
  void add(std::uint64_t number) {
    const auto end = numbers_.begin() + count_;
    if (count_ == numbers_.size() || std::find(numbers_.begin(), end, number) != end) return;
    numbers_[count_++] = number;
  }
  /// The op's own number; a backward op has that of its forward op.
  [[nodiscard]] std::optional<std::uint64_t> own() const {
    return count_ != 0 ? std::optional(numbers_[0]) : std::nullopt;
  }
  [[nodiscard]] std::span<const std::uint64_t> others() const {
    return std::span(numbers_).first(count_).subspan(count_ != 0 ? 1 : 0);
  }

 private:
  std::array<std::uint64_t, 4> numbers_{};
  std::uint32_t count_ = 0;
};

struct Attribution {
  std::shared_ptr<const OpAttribution> op;    ///< Never null.
  std::shared_ptr<const KernelFacts> kernel;  ///< Null for copies and sets.
  /// For work of a graph node, `op` follows from the ranges around its capture, and this from those
  /// around the launch of the graph. Null for other work.
  std::shared_ptr<const OpAttribution> launch;
  /// The work is all that one launch of a CUDA graph ran, recorded without its kernels: it has the
  /// layer of the launch, but no op, and no op's cost.
  bool is_whole_graph = false;
  /// Nodes of the executable of such a graph; absent: unknown.
  std::optional<std::uint32_t> graph_nodes;
  std::optional<std::int64_t> step;  ///< Number of the innermost step; absent outside steps.
  /// End of the step's range, on the host; absent: unknown.
  std::optional<std::int64_t> step_end_ns;
  bool step_is_found = false;  ///< No range marks the step: it is estimated from the launches.
  /// The op instance: its range's id, in a replay of a graph a number above 2^40; 0: none.
  std::uint64_t op_id = 0;
  std::uint64_t replay_id = 0;  ///< From where the op ids of this replay count; 0: in no replay.
  /// The op instance that the program called: of work in a backward node that of its forward op,
  /// else op_id.
  std::uint64_t call_id = 0;
  /// The work is in a step that is not marked, and this is what it is in a marked one
  /// (repeated_steps.hpp).
  bool is_repeat = false;
  bool main = true;  ///< Main kernel of its op, or a helper.
  /// Fraction of the cost; sums to 1 over the kernels that share it: those of the op instance, or
  /// of a part of it that has its own cost (a cast inside a linear).
  double share = 0;
  /// share * op->cost, in whole numbers that add up exactly; of an op that calls others with costs
  /// of their own, what those leave.
  Quantities cost;
  Basis basis = Basis::kUnknown;  ///< Basis of `cost`.
  /// The part of the bytes of `cost` that the L2 serves: a kernel before it wrote them
  /// (l2_reuse.hpp).
  double l2_bytes = 0;
  /// The op's kernels transform a convolution (Winograd, FFT): their products are fewer than its
  /// FLOPs count.
  bool is_transformed = false;

  SequenceNumbers seq;
  std::uint32_t sub = 0;          ///< Index of the kernel within its op instance, from 0.
  Contradictions contradictions;  ///< Between the op and the kernel's name.
};

/// Work between GPUs, by the families of kernels (analyzers/kernels/families.inc), or under a
/// collective of known size.
inline bool is_collective(const Attribution& work) {
  return work.cost.algorithm_bytes || (work.kernel != nullptr && work.kernel->is_communication);
}

/// The kernel lacks a layer, a direction or a known op. A whole graph may run any number of ops in
/// any direction: it lacks a layer. A collective of a known op lacks nothing: the gradients that it
/// sums are of several layers, and nobody could name one.
inline bool is_unattributed(const Attribution& kernel) {
  const OpAttribution& op = *kernel.op;
  if (is_collective(kernel) && op.known_op) return false;
  if (op.layer.empty() || kernel.is_whole_graph) return op.layer.empty();
  return !op.known_op || op.direction == Direction::kNone;
}

}  // namespace prof
