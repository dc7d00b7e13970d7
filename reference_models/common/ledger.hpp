// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The closed-form ground truth of a training step: what it computes, op by op, derived from the
// sizes alone. A profiler's report can be checked against it, because the two share nothing: it
// uses no annotation, no analyzer and no kernel.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ref {

/// A tensor's shape, outermost dimension first.
using LedgerShape = std::vector<std::int64_t>;

/// A matrix product as cuBLAS is called, column-major; a bias has no k.
struct LedgerGemm {
  std::int64_t m, n;
  std::optional<std::int64_t> k;
  std::int64_t batch = 1;
};

/// One op instance. FLOPs and bytes are those of docs/ops.md.
struct LedgerOp {
  std::string layer;                     // a path joined with ':'
  std::string op;                        // "linear", "layer_norm", ...
  std::string_view direction = "fprop";  // "fprop", "bprop" or "update"
  std::string_view part;                 // of a gradient: "data", "weight", "bias"; else empty
  std::vector<LedgerShape> inputs;       // of the tensors that it reads
  std::vector<LedgerShape> outputs;      // and writes; one updated in place is both
  std::optional<LedgerGemm> gemm;
  std::string params;  // only for an op whose table is named, else empty
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  bool calls_library = false;  // whether cuBLAS or cublasLt is called with exactly `gemm`
};

/// An estimate of a step's FLOPs from the literature, and what it leaves out.
struct LedgerEstimate {
  std::string formula;  // "6*P*T"
  std::int64_t flops = 0;
};

/// All ops of one step, in the order in which they are launched.
class Ledger {
 public:
  explicit Ledger(std::string model) : model_(std::move(model)) {}

  void add(LedgerOp op) { ops_.push_back(std::move(op)); }
  void note_size(std::string name, std::int64_t value);  // of the configuration, for readers
  void set_estimate(LedgerEstimate estimate) { estimate_ = std::move(estimate); }

  [[nodiscard]] const std::vector<LedgerOp>& ops() const { return ops_; }
  [[nodiscard]] std::int64_t flops() const;
  [[nodiscard]] std::int64_t bytes() const;

  /// One JSON object: model, config, totals, estimate, ops. Throws std::ios_base::failure if the
  /// stream is set to.
  void write_json(std::ostream& out) const;

 private:
  std::string model_;
  std::vector<std::pair<std::string, std::int64_t>> sizes_;
  LedgerEstimate estimate_;
  std::vector<LedgerOp> ops_;
};

}  // namespace ref
