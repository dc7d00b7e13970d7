// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The operations that a graph of cuDNN's backend may have: the attributes that are their operands,
// and their names. Numbers are those of cudnn_graph.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace prof::collectors {

/// Descriptor types of operations.
enum class Operation : int {
  kConvolutionForward = 10,
  kConvolutionBackwardFilter = 11,
  kConvolutionBackwardData = 12,
  kPointwise = 13,
  kGenStats = 14,
  kMatmul = 19,
  kNormFinalize = 20,
  kReduction = 22,
  kNormBackwardWeights = 23,
  kResampleForward = 25,
  kResampleBackward = 26,
  kConcat = 27,
  kSignal = 28,
  kNormForward = 29,
  kNormBackward = 30,
  kReshape = 31,
  kRng = 33,
  kPagedCacheLoad = 35,
  kBlockScaleQuantize = 36,
  kBlockScaleDequantize = 37,
  kExpandBandMatrix = 39,
  kContractBandMatrix = 40,
  kSdpaForward = 41,
  kMoeGroupedMatmul = 42,
  kSdpaBackward = 43,
};

/// cudnnBackendAttributeName_t: attributes of operations beside their operands.
struct Attribute {
  static constexpr int kPointwiseMode = 0, kPointwiseCompute = 1, kPointwiseAxis = 9;
  static constexpr int kConvolutionCompute = 100, kConvolutionMode = 101,
                       kConvolutionDilation = 102, kConvolutionStride = 103,
                       kConvolutionPostPadding = 104, kConvolutionPadding = 105;
  static constexpr int kPlanJson = 405, kGraphOperations = 801;
  static constexpr int kType = 901, kSizes = 902, kStrides = 903, kId = 906, kIsVirtual = 907,
                       kIsByValue = 908, kRaggedOffsets = 913;
  static constexpr int kMatmulCompute = 1500, kReductionOperator = 1600, kReductionCompute = 1601;
  static constexpr int kResampleMode = 1700, kResampleRank = 1702, kResamplePadding = 1704,
                       kResampleStride = 1705, kResampleWindow = 1706;
  static constexpr int kNormMode = 2000, kNormPhase = 2001, kNormBackwardMode = 2100;
};

/// A graph is named after its heaviest operation.
enum class Weight : std::uint8_t {
  kElement,
  kMove,
  kSummary,
  kWindow,
  kStatistics,
  kNorm,
  kProduct,
  kAttention
};

/// Operands in the order in which the op has them; 0: none.
struct OperationForm {
  Operation type;
  std::string_view word;
  std::array<int, 12> inputs = {};
  std::array<int, 6> outputs = {};
  int what = 0;            ///< Descriptor of the operation's parameters, such as a convolution's.
  const char* op = "";     ///< Name of the operation alone, with all operands of the form.
  const char* fused = "";  ///< Name with other operations in the same graph (backend_plan.hpp).
  const char* part = nullptr;
  Weight weight = Weight::kElement;
  /// The attribute by which the previous result is scaled before it is added.
  int beta = 0;
};

/// Null: an unknown operation.
const OperationForm* form_of_operation(int type);

/// cudnnPointwiseMode_t. `op` is the name of an operation that is alone; "": no op model has it.
struct PointwiseMode {
  int mode;
  std::string_view word;
  const char* op = "";
};
inline constexpr PointwiseMode kUnknownMode{-1, "pointwise"};
const PointwiseMode& pointwise_mode(std::int64_t mode);
enum PointwiseModes : int {
  kModeAdd = 0,
  kModeExp = 13,
  kModeGeluTanh = 107,
  kModeFirstComparison = 300,
  kModeGreaterEqual = 303,
  kModeLastComparison = 305,
  kModeGenIndex = 501
};

/// Argument: a cudnnBackendNormMode_t.
struct NormMode {
  const char *forward, *backward;
};
const NormMode& norm_mode(std::int64_t mode);

/// Argument: a cudnnReduceTensorOp_t.
const char* reduction_op(std::int64_t mode);

}  // namespace prof::collectors
