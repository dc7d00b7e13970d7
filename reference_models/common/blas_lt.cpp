// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// cublasLt is column-major here: a row-major (rows, cols) tensor is to it a (cols, rows) matrix, so
// every product is computed transposed.
#include "common/blas_lt.hpp"

#include <utility>

#include "common/ranges.hpp"

namespace ref {

/// Named, because BlasLt::Plan, which other files may name, has members of these types.
namespace lt {

/// Owns one of cublasLt's descriptors.
template <typename Handle, cublasStatus_t (*Destroy)(Handle)>
class Descriptor {
 public:
  Descriptor() = default;
  Descriptor(Descriptor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (handle_ != nullptr) Destroy(handle_);
  }
  [[nodiscard]] Handle get() const { return handle_; }
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};

using MatmulDesc = Descriptor<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy>;
using Layout = Descriptor<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
using Preference = Descriptor<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

}  // namespace lt

namespace {

using lt::Layout;
using lt::MatmulDesc;
using lt::Preference;

constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;  // what is advised for Hopper
constexpr std::uint32_t kAlignment = 16;

template <typename Value>
void set(const MatmulDesc& desc, cublasLtMatmulDescAttributes_t attribute, const Value& value) {
  check(cublasLtMatmulDescSetAttribute(desc.get(), attribute, &value, sizeof value));
}
template <typename Value>
void set(const Layout& layout, cublasLtMatrixLayoutAttribute_t attribute, const Value& value) {
  check(cublasLtMatrixLayoutSetAttribute(layout.get(), attribute, &value, sizeof value));
}
template <typename Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute,
         const Value& value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value, sizeof value));
}

Layout make_layout(int rows, int cols, int batch) {
  Layout layout;
  check(cublasLtMatrixLayoutCreate(layout.out(), CUDA_R_16BF, static_cast<std::uint64_t>(rows),
                                   static_cast<std::uint64_t>(cols), rows));
  if (batch > 1) {
    set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{batch});
    set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, std::int64_t{rows} * cols);
  }
  return layout;
}

Preference make_preference() {
  Preference preference;
  check(cublasLtMatmulPreferenceCreate(preference.out()));
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, kWorkspaceBytes);
  // Partial sums stay float until they are added.
  set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
      std::uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set(preference, attribute, kAlignment);
  }
  return preference;
}

cublasLtEpilogue_t epilogue_code(Epilogue epilogue) {
  switch (epilogue) {
    case Epilogue::none:
      return CUBLASLT_EPILOGUE_DEFAULT;
    case Epilogue::bias:
      return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::gelu_bias:
      return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case Epilogue::dgelu:
      return CUBLASLT_EPILOGUE_DGELU;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

}  // namespace

/// One size's descriptors and algorithm.
class BlasLt::Plan {
 public:
  Plan(cublasLtHandle_t handle, const Problem& p, const Operands& operands)
      : a_(p.trans_a ? make_layout(p.k, p.m, p.batch) : make_layout(p.m, p.k, p.batch)),
        b_(p.trans_b ? make_layout(p.n, p.k, p.batch) : make_layout(p.k, p.n, p.batch)),
        c_(make_layout(p.m, p.n, p.batch)) {
    check(cublasLtMatmulDescCreate(desc_.out(), CUBLAS_COMPUTE_32F, CUDA_R_32F));
    set(desc_, CUBLASLT_MATMUL_DESC_TRANSA, p.trans_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(desc_, CUBLASLT_MATMUL_DESC_TRANSB, p.trans_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_code(p.epilogue));
    if (operands.bias != nullptr) {
      set(desc_, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUDA_R_16BF);
    }
    if (operands.aux != nullptr) {
      set(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, std::int64_t{p.m});
    }
    point_to(operands);
    const Preference preference = make_preference();
    cublasLtMatmulHeuristicResult_t result{};
    int found = 0;
    check(cublasLtMatmulAlgoGetHeuristic(handle, desc_.get(), a_.get(), b_.get(), c_.get(),
                                         c_.get(), preference.get(), 1, &result, &found));
    if (found == 0) check(CUBLAS_STATUS_NOT_SUPPORTED);
    algorithm_ = result.algo;
  }

  void run(cublasLtHandle_t handle, const Operands& operands, bool accumulate, void* workspace,
           cudaStream_t stream) const {
    point_to(operands);
    const float alpha = 1;
    const float beta = accumulate ? 1 : 0;
    check(cublasLtMatmul(handle, desc_.get(), &alpha, operands.a, a_.get(), operands.b, b_.get(),
                         &beta, operands.c, c_.get(), operands.c, c_.get(), &algorithm_, workspace,
                         kWorkspaceBytes, stream));
  }

 private:
  // Bias and aux are part of the descriptor; the other operands are arguments of the call.
  void point_to(const Operands& operands) const {
    if (operands.bias != nullptr) set(desc_, CUBLASLT_MATMUL_DESC_BIAS_POINTER, operands.bias);
    if (operands.aux != nullptr) {
      set(desc_, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, operands.aux);
    }
  }

  MatmulDesc desc_;
  Layout a_, b_, c_;
  cublasLtMatmulAlgo_t algorithm_{};
};

BlasLt::BlasLt(cudaStream_t stream) : stream_(stream), workspace_(kWorkspaceBytes) {
  check(cublasLtCreate(&handle_));
}

BlasLt::~BlasLt() { cublasLtDestroy(handle_); }

void BlasLt::multiply(const Problem& problem, const Operands& operands) {
  const Range range("matmul_cublaslt");
  auto plan = plans_.find(problem);
  if (plan == plans_.end()) {
    plan = plans_.emplace(problem, Plan(handle_, problem, operands)).first;
  }
  plan->second.run(handle_, operands, problem.accumulate, workspace_.data(), stream_);
}

void BlasLt::linear(const LinearSizes& s, const __nv_bfloat16* x, const __nv_bfloat16* weight,
                    const __nv_bfloat16* bias, __nv_bfloat16* y, Epilogue epilogue,
                    __nv_bfloat16* aux) {
  multiply({true, false, s.out, s.rows, s.in, 1, epilogue, false}, {weight, x, y, bias, aux});
}

void BlasLt::linear_data_gradient(const LinearSizes& s, const __nv_bfloat16* dy,
                                  const __nv_bfloat16* weight, __nv_bfloat16* dx, Epilogue epilogue,
                                  const __nv_bfloat16* aux) {
  multiply({false, false, s.in, s.rows, s.out, 1, epilogue, false}, {weight, dy, dx, nullptr, aux});
}

void BlasLt::linear_weight_gradient(const LinearSizes& s, const __nv_bfloat16* dy,
                                    const __nv_bfloat16* x, __nv_bfloat16* dweight) {
  multiply({false, true, s.in, s.out, s.rows, 1, Epilogue::none, true},
           {x, dy, dweight, nullptr, nullptr});
}

void BlasLt::batched(const BatchedSizes& s, const __nv_bfloat16* a, const __nv_bfloat16* b,
                     __nv_bfloat16* c) {
  multiply({s.trans_b, s.trans_a, s.n, s.m, s.k, s.batch, Epilogue::none, false},
           {b, a, c, nullptr, nullptr});
}

}  // namespace ref
