// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cublas/lt_matmul.hpp"

#include <optional>

namespace prof::collectors {
namespace {

/// cublasLtMatmulDescAttributes_t.
enum MatmulAttribute {
  kComputeTypeAt = 0,
  kScaleTypeAt = 1,
  kPointerModeAt = 2,
  kTransA = 3,
  kTransB = 4,
  kEpilogue = 7,
  kBiasPointer = 8,
  kAuxLd = 12,
  kAuxBatchStride = 13,
  kAuxType = 22,
  kBiasType = 26,
  kScaleModeA = 31,
  kScaleModeB = 32,
  kScalePointerA = 17,
  kScalePointerB = 18,
};
/// cublasLtMatrixLayoutAttribute_t.
enum LayoutAttribute {
  kType = 0,
  kOrder = 1,
  kRows = 2,
  kColumns = 3,
  kLd = 4,
  kCount = 5,
  kStride = 6
};
/// cublasLtMatrixTransformDescAttributes_t.
enum TransformAttribute {
  kTransformScaleType = 0,
  kTransformPointerMode = 1,
  kTransformA = 2,
  kTransformB = 3
};
constexpr int kAlgorithmId = 0;
constexpr int kColumnMajor = 0, kRowMajor = 1;

/// cublasLtEpilogue_t, whose values are bits except for the default.
enum EpilogueBit : std::uint32_t {
  kRelu = 2,
  kBias = 4,
  kDrelu = 8,
  kBiasGradient = 16,
  kGelu = 32,
  kDgelu = 64,
  kAux = 128,
  kBiasGradientA = 256,
  kBiasGradientB = 512,
};

template <typename Value>
std::optional<Value> get(LtAttributes::Get* of, const void* object, int attribute) {
  Value value{};
  std::size_t written = 0;
  if (of == nullptr || object == nullptr) return std::nullopt;
  if (of(object, attribute, &value, sizeof value, &written) != 0) return std::nullopt;
  return value;
}

struct Layout {
  Matrix matrix;
  bool is_known = false;
};

/// The layout as stored; op() is applied by the caller.
Layout layout_of(const LtAttributes& attributes, const void* object) {
  const auto read = [&]<typename Value>(int attribute, Value otherwise) {
    return get<Value>(attributes.of_layout, object, attribute).value_or(otherwise);
  };
  Layout found{{DataType{-1}, false, -1, -1, Batch::kUnknown}};
  const auto rows = get<std::uint64_t>(attributes.of_layout, object, kRows);
  const auto columns = get<std::uint64_t>(attributes.of_layout, object, kColumns);
  if (!rows || !columns) return found;
  found.is_known = true;
  Matrix& matrix = found.matrix;
  matrix.type = static_cast<DataType>(read(kType, std::uint32_t{UINT32_MAX}));
  matrix.rows = static_cast<std::int64_t>(*rows);
  matrix.columns = static_cast<std::int64_t>(*columns);
  const auto order = read(kOrder, std::int32_t{-1});
  if (order == kColumnMajor || order == kRowMajor)
    matrix.ld = read(kLd, std::int64_t{Batch::kUnknown});
  matrix.is_transposed = order == kRowMajor;
  const auto count = read(kCount, std::int32_t{1});
  if (count != 1) matrix.batch = {count, read(kStride, std::int64_t{Batch::kUnknown})};
  return found;
}

Matrix operand(Matrix stored, int operation) {
  if (!is_transposed(operation)) return stored;
  std::swap(stored.rows, stored.columns);
  stored.is_transposed = !stored.is_transposed;
  return stored;
}

const char* activation(std::uint32_t epilogue) {
  if ((epilogue & kRelu) != 0) return "relu";
  if ((epilogue & kGelu) != 0) return "gelu";
  if ((epilogue & kDrelu) != 0) return "drelu";
  if ((epilogue & kDgelu) != 0) return "dgelu";
  return "none";
}

/// cublasLtMatmulMatrixScale_t.
const char* scale_word(std::int32_t mode) {
  constexpr const char* kWords[] = {"scalar_32f",    "vec16_ue4m3", "vec32_ue8m0",
                                    "outer_vec_32f", "vec128_32f",  "blk128x128_32f"};
  return mode >= 0 && mode < 6 ? kWords[mode] : "unknown";
}

class Description {
 public:
  Description(CallFacts& facts, const LtAttributes& attributes, const LtCall& call)
      : facts_(facts), attributes_(attributes), call_(call) {}

  void write() {
    facts_.op("cublas::gemm");
    const Layout a = layout_of(attributes_, call_.a), b = layout_of(attributes_, call_.b);
    const Layout c = layout_of(attributes_, call_.c), d = layout_of(attributes_, call_.d);
    const int trans_a = of_matmul(kTransA, std::int32_t{0});
    const int trans_b = of_matmul(kTransB, std::int32_t{0});
    state_operations(facts_, {trans_a, trans_b, 0, 0, 0, ld(a), ld(b), ld(d)});
    state_compute(facts_, of_matmul(kComputeTypeAt, std::int32_t{-1}), algorithm());
    const Beta beta = beta_of_call();
    if (beta == Beta::kUnknown) facts_.fact("beta", "unknown");
    const auto epilogue = of_matmul(kEpilogue, std::uint32_t{1});
    state_epilogue(epilogue);
    state_scale("scale_a", kScalePointerA, kScaleModeA);
    state_scale("scale_b", kScalePointerB, kScaleModeB);
    matrix(a, trans_a);
    matrix(b, trans_b);
    if (beta == Beta::kZero) {
      facts_.none();
    } else {
      matrix(c, 0);
    }
    matrix(d, 0);
    write_epilogue(epilogue, a.matrix, trans_a, b.matrix, trans_b, d.matrix);
  }

 private:
  template <typename Value>
  [[nodiscard]] Value of_matmul(int attribute, Value otherwise) const {
    return get<Value>(attributes_.of_matmul, call_.matmul, attribute).value_or(otherwise);
  }
  static std::int64_t ld(const Layout& layout) {
    return layout.matrix.ld == Batch::kUnknown ? -1 : layout.matrix.ld;
  }
  [[nodiscard]] int algorithm() const {
    return get<std::int32_t>(attributes_.of_algorithm, call_.algorithm, kAlgorithmId).value_or(-1);
  }

  /// cublasLtPointerMode_t: in modes 0 and 4 beta is in the host's memory, in mode 3 it is 0.
  [[nodiscard]] Beta beta_of_call() const {
    const int mode = of_matmul(kPointerModeAt, std::int32_t{-1});
    if (mode == 3) return Beta::kZero;
    if (mode != 0 && mode != 4) return Beta::kUnknown;
    return beta_at(call_.beta,
                   scale_of(static_cast<DataType>(of_matmul(kScaleTypeAt, std::int32_t{-1}))));
  }

  void state_epilogue(std::uint32_t epilogue) {
    if (epilogue == 1) return;
    facts_.fact("epilogue", std::int64_t{epilogue});
    facts_.fact("activation", activation(epilogue));
  }
  void state_scale(const char* key, int pointer, int mode) {
    if (of_matmul(pointer, std::uintptr_t{0}) == 0) return;
    facts_.fact(key, scale_word(of_matmul(mode, std::int32_t{0})));
  }
  void matrix(const Layout& layout, int operation) {
    if (!layout.is_known) return facts_.none();
    facts_.matrix(operand(layout.matrix, operation));
  }

  [[nodiscard]] DataType type_or(int attribute, DataType otherwise) const {
    const int type = of_matmul(attribute, std::int32_t{-1});
    return type < 0 ? otherwise : static_cast<DataType>(type);
  }
  void vector(DataType type, std::int64_t size) { facts_.matrix({type, false, size, 1, size}); }

  /// Writes the bias, the operand of the activation's gradient, the operand saved for it, and the
  /// gradient of the bias.
  void write_epilogue(std::uint32_t epilogue, const Matrix& a, int trans_a, const Matrix& b,
                      int trans_b, const Matrix& d) {
    if (epilogue == 1) return;
    const DataType bias = type_or(kBiasType, d.type);
    if ((epilogue & kBias) != 0) {
      vector(bias, d.rows);
    } else {
      facts_.none();
    }
    const bool is_gradient = (epilogue & (kDrelu | kDgelu)) != 0;
    // ReLU keeps a bit for each element: eight in a byte.
    const bool is_mask = (epilogue & (kRelu | kDrelu)) != 0;
    Matrix aux = d;
    aux.ld = of_matmul(kAuxLd, std::int64_t{Batch::kUnknown});
    aux.type = is_mask ? DataType{8} : type_or(kAuxType, d.type);
    if (is_mask) {
      aux.rows = (aux.rows + 7) / 8;
      if (aux.ld != Batch::kUnknown) aux.ld /= 8;
    }
    aux.batch.stride = of_matmul(kAuxBatchStride, std::int64_t{Batch::kUnknown});
    for (const bool reads : {true, false}) {
      if ((epilogue & kAux) != 0 && is_gradient == reads) {
        facts_.matrix(aux);
      } else {
        facts_.none();
      }
    }
    if ((epilogue & (kBiasGradient | kBiasGradientA)) != 0) {
      vector(bias, (epilogue & kBiasGradient) != 0 ? d.rows : operand(a, trans_a).rows);
    } else if ((epilogue & kBiasGradientB) != 0) {
      vector(bias, operand(b, trans_b).columns);
    }
  }

  CallFacts& facts_;
  const LtAttributes& attributes_;
  const LtCall& call_;
};

}  // namespace

void write_matmul(CallFacts& facts, const LtAttributes& attributes, const LtCall& call) {
  Description(facts, attributes, call).write();
}

void write_transform(CallFacts& facts, const LtAttributes& attributes,
                     const LtTransformCall& call) {
  facts.op("cublas::transform");
  const auto attribute = [&](int which, std::int32_t otherwise) {
    return get<std::int32_t>(attributes.of_matmul, call.transform, which).value_or(otherwise);
  };
  const Layout a = layout_of(attributes, call.a), b = layout_of(attributes, call.b),
               c = layout_of(attributes, call.c);
  const int trans_a = attribute(kTransformA, 0), trans_b = attribute(kTransformB, 0);
  facts.fact("trans_a", operation_word(trans_a));
  facts.fact("trans_b", operation_word(trans_b));
  const bool is_on_host = attribute(kTransformPointerMode, -1) == 0;
  const auto scale = scale_of(static_cast<DataType>(attribute(kTransformScaleType, -1)));
  const Beta beta = !b.is_known  ? Beta::kZero
                    : is_on_host ? beta_at(call.beta, scale)
                                 : Beta::kUnknown;
  if (beta == Beta::kUnknown) facts.fact("beta", "unknown");
  if (a.is_known) {
    facts.matrix(operand(a.matrix, trans_a));
  } else {
    facts.none();
  }
  if (beta == Beta::kZero) {
    facts.none();
  } else {
    facts.matrix(operand(b.matrix, trans_b));
  }
  if (c.is_known) facts.matrix(c.matrix);
}

}  // namespace prof::collectors
