// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Products of vectors with bands, symmetric and triangular matrices; functions of the elements of
// vectors; batches of factorizations. A line has all operands.
#include "asked.hpp"

namespace cublas_calls {

// --- Matrices of which one triangle, or a band, is in memory

namespace {
struct Half {
  int n = 19 + g_call % 11, m = 21 + g_call % 13, kl = 1 + g_call % 3, ku = 2 + g_call % 2;
  int upper = g_call % 2, trans = g_call / 2 % 2, lda = n + g_call % 3, ld_of_band = kl + ku + 2;
  int incx = 1 + g_call % 2, incy = 1 + g_call % 3;
  Scalar alpha{1}, beta{g_call % 3 == 0 ? 0.0 : 1.0};

  [[nodiscard]] cublasFillMode_t fill() const {
    return upper != 0 ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  }
  [[nodiscard]] cublasOperation_t op() const { return trans != 0 ? CUBLAS_OP_T : CUBLAS_OP_N; }
  [[nodiscard]] std::string vector(const char* type) const { return operand(type, {n, 1}); }
  [[nodiscard]] std::string filled() const { return word("fill", upper != 0 ? "upper" : "lower"); }
  [[nodiscard]] std::string increments() const {
    return number("incx", incx) + number("incy", incy);
  }
  [[nodiscard]] std::string band(int below, int above) const {
    return number("kl", below) + number("ku", above) + number("lda", ld_of_band);
  }

  /// y = alpha A x + beta y, where A is in memory as `a`.
  [[nodiscard]] Asked product(const char* function, const char* op, const char* type,
                              const std::string& a, const std::string& more) const {
    const bool reads = beta.real64 != 0;
    return {function,
            op,
            n,
            1,
            n,
            1,
            "",
            filled() + increments() + more +
                word("operands", a + " " + vector(type) + " " + (reads ? vector(type) : "-") + " " +
                                     vector(type))};
  }
  /// x = op(A) x, or the solution.
  [[nodiscard]] Asked triangle(const char* function, const char* op, const char* type,
                               const std::string& a, const std::string& more) const {
    return {function,
            op,
            n,
            1,
            n,
            1,
            "",
            filled() + word("trans_a", trans != 0 ? "t" : "n") + word("diagonal", "stored") +
                number("incx", incx) + more +
                word("operands", a + " " + vector(type) + " " + vector(type))};
  }
  [[nodiscard]] Asked update(const char* function, const char* op, const char* type, bool has_y,
                             const std::string& a, const std::string& more) const {
    const std::string y = has_y ? operand(type, {1, n}) : "-";
    return {function,
            op,
            n,
            n,
            1,
            1,
            "",
            filled() + number("incx", incx) + (has_y ? number("incy", incy) : "") + more +
                word("operands", vector(type) + " " + y + " " + a + " " + a)};
  }
  [[nodiscard]] std::string whole(const char* type) const { return operand(type, {n, n}); }
  [[nodiscard]] std::string packed(const char* type) const {
    return operand(type, {n * (n + 1) / 2});
  }
};

}  // namespace

#define GBMV(symbol, type)                                                                        \
  if (begins_call()) {                                                                            \
    const Half s;                                                                                 \
    const int rows = s.trans != 0 ? s.n : s.m, columns = s.trans != 0 ? s.m : s.n;                \
    const std::string y = operand(type, {rows, 1});                                               \
    took({#symbol, "gbmv", rows, 1, columns, 1, "",                                               \
          word("trans_a", s.trans != 0 ? "t" : "n") + s.increments() + s.band(s.kl, s.ku) +       \
              word("operands", operand(type, {s.kl + s.ku + 1, s.n}) + " " +                      \
                                   operand(type, {columns, 1}) + " " +                            \
                                   (s.beta.real64 != 0 ? y : "-") + " " + y)},                    \
         FUNCTION(symbol)(g_handle, s.op(), s.m, s.n, s.kl, s.ku, s.alpha, kMatrix, s.ld_of_band, \
                          kMatrix, s.incx, s.beta, kMatrix, s.incy));                             \
  }
#define SYMV(symbol, op_name, type)                                                          \
  if (begins_call()) {                                                                       \
    const Half s;                                                                            \
    took(s.product(#symbol, op_name, type, s.whole(type), number("lda", s.lda)),             \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, s.alpha, kMatrix, s.lda, kMatrix, s.incx, \
                          s.beta, kMatrix, s.incy));                                         \
  }
#define SBMV(symbol, op_name, type)                                                               \
  if (begins_call()) {                                                                            \
    const Half s;                                                                                 \
    took(s.product(#symbol, op_name, type, operand(type, {s.kl + 1, s.n}), s.band(s.kl, s.kl)),   \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, s.kl, s.alpha, kMatrix, s.ld_of_band, kMatrix, \
                          s.incx, s.beta, kMatrix, s.incy));                                      \
  }
#define SPMV(symbol, op_name, type)                                                           \
  if (begins_call()) {                                                                        \
    const Half s;                                                                             \
    took(s.product(#symbol, op_name, type, s.packed(type), ""),                               \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, s.alpha, kMatrix, kMatrix, s.incx, s.beta, \
                          kMatrix, s.incy));                                                  \
  }
#define TRMV(symbol, op_name, type)                                                              \
  if (begins_call()) {                                                                           \
    const Half s;                                                                                \
    took(s.triangle(#symbol, op_name, type, s.whole(type), number("lda", s.lda)),                \
         FUNCTION(symbol)(g_handle, s.fill(), s.op(), CUBLAS_DIAG_NON_UNIT, s.n, kMatrix, s.lda, \
                          kMatrix, s.incx));                                                     \
  }
#define TBMV(symbol, op_name, type)                                                             \
  if (begins_call()) {                                                                          \
    const Half s;                                                                               \
    took(s.triangle(#symbol, op_name, type, operand(type, {s.kl + 1, s.n}),                     \
                    s.upper != 0 ? s.band(0, s.kl) : s.band(s.kl, 0)),                          \
         FUNCTION(symbol)(g_handle, s.fill(), s.op(), CUBLAS_DIAG_NON_UNIT, s.n, s.kl, kMatrix, \
                          s.ld_of_band, kMatrix, s.incx));                                      \
  }
#define TPMV(symbol, op_name, type)                                                                \
  if (begins_call()) {                                                                             \
    const Half s;                                                                                  \
    took(s.triangle(#symbol, op_name, type, s.packed(type), ""),                                   \
         FUNCTION(symbol)(g_handle, s.fill(), s.op(), CUBLAS_DIAG_NON_UNIT, s.n, kMatrix, kMatrix, \
                          s.incx));                                                                \
  }
#define SYR(symbol, op_name, type)                                                             \
  if (begins_call()) {                                                                         \
    const Half s;                                                                              \
    took(s.update(#symbol, op_name, type, false, s.whole(type), number("lda", s.lda)),         \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, s.alpha, kMatrix, s.incx, kMatrix, s.lda)); \
  }
#define SPR(symbol, op_name, type)                                                      \
  if (begins_call()) {                                                                  \
    const Half s;                                                                       \
    took(s.update(#symbol, op_name, type, false, s.packed(type), ""),                   \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, s.alpha, kMatrix, s.incx, kMatrix)); \
  }
#define SYR2(symbol, op_name, type)                                                           \
  if (begins_call()) {                                                                        \
    const Half s;                                                                             \
    took(s.update(#symbol, op_name, type, true, s.whole(type), number("lda", s.lda)),         \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, s.alpha, kMatrix, s.incx, kMatrix, s.incy, \
                          kMatrix, s.lda));                                                   \
  }
#define SPR2(symbol, op_name, type)                                                           \
  if (begins_call()) {                                                                        \
    const Half s;                                                                             \
    took(s.update(#symbol, op_name, type, true, s.packed(type), ""),                          \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, s.alpha, kMatrix, s.incx, kMatrix, s.incy, \
                          kMatrix));                                                          \
  }

void call_half_vectors() {
  REAL_AND_COMPLEX(GBMV, gbmv_v2)
  REAL_AND_COMPLEX(SYMV, symv_v2, "symv")
  COMPLEX(SYMV, hemv_v2, "hemv")
  REAL(SBMV, sbmv_v2, "sbmv")
  COMPLEX(SBMV, hbmv_v2, "hbmv")
  REAL(SPMV, spmv_v2, "spmv")
  COMPLEX(SPMV, hpmv_v2, "hpmv")
  REAL_AND_COMPLEX(TRMV, trmv_v2, "trmv")
  REAL_AND_COMPLEX(TRMV, trsv_v2, "trsv")
  REAL_AND_COMPLEX(TBMV, tbmv_v2, "tbmv")
  REAL_AND_COMPLEX(TBMV, tbsv_v2, "tbsv")
  REAL_AND_COMPLEX(TPMV, tpmv_v2, "tpmv")
  REAL_AND_COMPLEX(TPMV, tpsv_v2, "tpsv")
  REAL_AND_COMPLEX(SYR, syr_v2, "syr")
  COMPLEX(SYR, her_v2, "her")
  REAL(SPR, spr_v2, "spr")
  COMPLEX(SPR, hpr_v2, "hpr")
  REAL_AND_COMPLEX(SYR2, syr2_v2, "syr2")
  COMPLEX(SYR2, her2_v2, "her2")
  REAL(SPR2, spr2_v2, "spr2")
  COMPLEX(SPR2, hpr2_v2, "hpr2")
}

// --- Elements. Results are in the device's memory, where a call need not wait for them.

namespace {
struct Elements {
  int n = 100 + g_call % 37, incx = 1 + g_call % 2, incy = 1 + g_call % 3;
  Scalar factor{2};  // Of 1, a library may have nothing to do.
  float parameters32[5] = {-1, 1, 0, 0, 1};
  double parameters64[5] = {-1, 1, 0, 0, 1};

  [[nodiscard]] Asked two(const char* function, const char* op, const char* type,
                          const std::string& more = "") const {
    return {function,
            op,
            0,
            0,
            0,
            1,
            "",
            number("incx", incx) + number("incy", incy) + more +
                word("operands", operand(type, {n}) + " " + operand(type, {n}))};
  }
  [[nodiscard]] Asked one(const char* function, const char* op, const char* type,
                          const std::string& more = "", const std::string& result = "") const {
    return {function,
            op,
            0,
            0,
            0,
            1,
            "",
            number("incx", incx) + more +
                word("operands", operand(type, {n}) + (result.empty() ? "" : " :" + result))};
  }
  [[nodiscard]] Asked dot(const char* function, const char* type) const {
    return {function,
            "dot",
            1,
            1,
            n,
            1,
            "",
            number("incx", incx) + number("incy", incy) +
                word("operands", operand(type, {n}) + " " + operand(type, {n}) + " :" + type)};
  }
};

const char* index_type(const std::string& function) {
  return function.ends_with("_64") ? "int64" : "int32";
}

}  // namespace

#define AXPY(symbol, type)                                                             \
  if (begins_call()) {                                                                 \
    const Elements s;                                                                  \
    took(s.two(#symbol, "axpy", type),                                                 \
         FUNCTION(symbol)(g_handle, s.n, s.factor, kMatrix, s.incx, kMatrix, s.incy)); \
  }
#define AXPY_EX(symbol, type, TYPE)                                                           \
  if (begins_call()) {                                                                        \
    const Elements s;                                                                         \
    took(s.two(#symbol, "axpy", type),                                                        \
         FUNCTION(symbol)(g_handle, s.n, &s.factor.real32, CUDA_R_32F, kMatrix, TYPE, s.incx, \
                          kMatrix, TYPE, s.incy, CUDA_R_32F));                                \
  }
#define SCAL(symbol, type, more)                                      \
  if (begins_call()) {                                                \
    const Elements s;                                                 \
    took(s.one(#symbol, "scal", type, more),                          \
         FUNCTION(symbol)(g_handle, s.n, s.factor, kMatrix, s.incx)); \
  }
#define PLAIN_SCAL(symbol, type) SCAL(symbol, type, "")
#define SCAL_EX(symbol, type, TYPE)                                                           \
  if (begins_call()) {                                                                        \
    const Elements s;                                                                         \
    took(s.one(#symbol, "scal", type),                                                        \
         FUNCTION(symbol)(g_handle, s.n, &s.factor.real32, CUDA_R_32F, kMatrix, TYPE, s.incx, \
                          CUDA_R_32F));                                                       \
  }
#define MOVED(symbol, op_name, type)                                         \
  if (begins_call()) {                                                       \
    const Elements s;                                                        \
    took(s.two(#symbol, op_name, type),                                      \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, s.incx, kMatrix, s.incy)); \
  }
#define MOVED_EX(symbol, op_name, type, TYPE)                                            \
  if (begins_call()) {                                                                   \
    const Elements s;                                                                    \
    took(s.two(#symbol, op_name, type),                                                  \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, TYPE, s.incx, kMatrix, TYPE, s.incy)); \
  }
#define ROT(symbol, type, more)                                                                  \
  if (begins_call()) {                                                                           \
    const Elements s;                                                                            \
    took(s.two(#symbol, "rot", type, more),                                                      \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, s.incx, kMatrix, s.incy, s.factor, s.factor)); \
  }
#define PLAIN_ROT(symbol, type) ROT(symbol, type, "")
#define ROT_EX(symbol, type, TYPE)                                                      \
  if (begins_call()) {                                                                  \
    const Elements s;                                                                   \
    took(s.two(#symbol, "rot", type),                                                   \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, TYPE, s.incx, kMatrix, TYPE, s.incy,  \
                          &s.factor.real32, &s.factor.real32, CUDA_R_32F, CUDA_R_32F)); \
  }
#define ROTM(symbol, parameters, type)                                                     \
  if (begins_call()) {                                                                     \
    const Elements s;                                                                      \
    took(s.two(#symbol, "rotm", type),                                                     \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, s.incx, kMatrix, s.incy, s.parameters)); \
  }
#define ROTM_EX(symbol, type)                                                                      \
  if (begins_call()) {                                                                             \
    const Elements s;                                                                              \
    took(s.two(#symbol, "rotm", type),                                                             \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, CUDA_R_32F, s.incx, kMatrix, CUDA_R_32F, s.incy, \
                          s.parameters32, CUDA_R_32F, CUDA_R_32F));                                \
  }
#define DOT(symbol, type)                                                             \
  if (begins_call()) {                                                                \
    const Elements s;                                                                 \
    took(s.dot(#symbol, type),                                                        \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, s.incx, kMatrix, s.incy, kMatrix)); \
  }
#define DOT_EX(symbol, type, TYPE)                                                             \
  if (begins_call()) {                                                                         \
    const Elements s;                                                                          \
    took(s.dot(#symbol, type), FUNCTION(symbol)(g_handle, s.n, kMatrix, TYPE, s.incx, kMatrix, \
                                                TYPE, s.incy, kMatrix, TYPE, CUDA_R_32F));     \
  }
#define NORM(symbol, op_name, type, result)                          \
  if (begins_call()) {                                               \
    const Elements s;                                                \
    took(s.one(#symbol, op_name, type, "", result),                  \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, s.incx, kMatrix)); \
  }
#define NORM_EX(symbol, op_name)                                                           \
  if (begins_call()) {                                                                     \
    const Elements s;                                                                      \
    took(s.one(#symbol, op_name, "float32", "", "float32"),                                \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, CUDA_R_32F, s.incx, kMatrix, CUDA_R_32F, \
                          CUDA_R_32F));                                                    \
  }
#define INDEX(symbol, op_name, type) NORM(symbol, op_name, type, index_type(#symbol))
#define INDEX_EX(symbol, op_name)                                                \
  if (begins_call()) {                                                           \
    const Elements s;                                                            \
    took(s.one(#symbol, op_name, "float32", "", index_type(#symbol)),            \
         FUNCTION(symbol)(g_handle, s.n, kMatrix, CUDA_R_32F, s.incx, kMatrix)); \
  }

void call_elements() {
  REAL_AND_COMPLEX(AXPY, axpy_v2)
  BOTH(AXPY_EX, cublasAxpyEx, "float16", CUDA_R_16F)
  REAL_AND_COMPLEX(PLAIN_SCAL, scal_v2)
  BOTH(SCAL, cublasCsscal_v2, "complex64", word("factor", "real"))
  BOTH(SCAL, cublasZdscal_v2, "complex128", word("factor", "real"))
  BOTH(SCAL_EX, cublasScalEx, "float16", CUDA_R_16F)
  REAL_AND_COMPLEX(MOVED, copy_v2, "copy")
  BOTH(MOVED_EX, cublasCopyEx, "copy", "float16", CUDA_R_16F)
  REAL_AND_COMPLEX(MOVED, swap_v2, "swap")
  BOTH(MOVED_EX, cublasSwapEx, "swap", "float32", CUDA_R_32F)
  REAL_AND_COMPLEX(PLAIN_ROT, rot_v2)
  BOTH(ROT, cublasCsrot_v2, "complex64", word("factor", "real"))
  BOTH(ROT, cublasZdrot_v2, "complex128", word("factor", "real"))
  BOTH(ROT_EX, cublasRotEx, "float32", CUDA_R_32F)
  BOTH(ROTM, cublasSrotm_v2, parameters32, "float32")
  BOTH(ROTM, cublasDrotm_v2, parameters64, "float64")
  BOTH(ROTM_EX, cublasRotmEx, "float32")
  FUNCTION(cublasSetPointerMode_v2)(g_handle, CUBLAS_POINTER_MODE_DEVICE);
  REAL(DOT, dot_v2)
  COMPLEX(DOT, dotu_v2)
  COMPLEX(DOT, dotc_v2)
  BOTH(DOT_EX, cublasDotEx, "float16", CUDA_R_16F)
  BOTH(DOT_EX, cublasDotcEx, "float16", CUDA_R_16F)
  BOTH(NORM, cublasSnrm2_v2, "nrm2", "float32", "float32")
  BOTH(NORM, cublasDnrm2_v2, "nrm2", "float64", "float64")
  BOTH(NORM, cublasScnrm2_v2, "nrm2", "complex64", "float32")
  BOTH(NORM, cublasDznrm2_v2, "nrm2", "complex128", "float64")
  BOTH(NORM_EX, cublasNrm2Ex, "nrm2")
  BOTH(NORM, cublasSasum_v2, "asum", "float32", "float32")
  BOTH(NORM, cublasDasum_v2, "asum", "float64", "float64")
  BOTH(NORM, cublasScasum_v2, "asum", "complex64", "float32")
  BOTH(NORM, cublasDzasum_v2, "asum", "complex128", "float64")
  BOTH(NORM_EX, cublasAsumEx, "asum")
  BOTH(INDEX, cublasIsamax_v2, "iamax", "float32")
  BOTH(INDEX, cublasIdamax_v2, "iamax", "float64")
  BOTH(INDEX, cublasIcamax_v2, "iamax", "complex64")
  BOTH(INDEX, cublasIzamax_v2, "iamax", "complex128")
  BOTH(INDEX_EX, cublasIamaxEx, "iamax")
  BOTH(INDEX, cublasIsamin_v2, "iamin", "float32")
  BOTH(INDEX, cublasIdamin_v2, "iamin", "float64")
  BOTH(INDEX, cublasIcamin_v2, "iamin", "complex64")
  BOTH(INDEX, cublasIzamin_v2, "iamin", "complex128")
  BOTH(INDEX_EX, cublasIaminEx, "iamin")
  FUNCTION(cublasSetPointerMode_v2)(g_handle, CUBLAS_POINTER_MODE_HOST);
}

// --- Batches of factorizations. Without pivots, since what is in memory is none.

namespace {
struct Factors {
  int n = 5 + g_call % 11, m = n + g_call % 7, nrhs = 1 + g_call % 4, batch = 2 + g_call % 4;
  int info = 0;

  [[nodiscard]] Asked asked(const char* function, const char* op, const std::string& a,
                            const std::string& b = "") const {
    return {function, op, 0, 0, 0, 1, "", word("operands", a + (b.empty() ? "" : " " + b))};
  }
};

}  // namespace

#define GETRF(symbol, type)                                                           \
  if (begins_call()) {                                                                \
    const Factors s;                                                                  \
    took(s.asked(#symbol, "getrf", operand(type, {s.batch, s.n, s.n})),               \
         FUNCTION(symbol)(g_handle, s.n, kPointers, s.n, nullptr, kMatrix, s.batch)); \
  }
#define GETRS(symbol, type)                                                                       \
  if (begins_call()) {                                                                            \
    Factors s;                                                                                    \
    took(s.asked(#symbol, "getrs", operand(type, {s.batch, s.n, s.n}),                            \
                 operand(type, {s.batch, s.n, s.nrhs})),                                          \
         FUNCTION(symbol)(g_handle, CUBLAS_OP_N, s.n, s.nrhs, kPointers, s.n, nullptr, kPointers, \
                          s.n + 1, &s.info, s.batch));                                            \
  }
#define GETRI(symbol, type)                                                                        \
  if (begins_call()) {                                                                             \
    const Factors s;                                                                               \
    const std::string a = operand(type, {s.batch, s.n, s.n});                                      \
    took(s.asked(#symbol, "getri", a, a), FUNCTION(symbol)(g_handle, s.n, kPointers, s.n, nullptr, \
                                                           kPointers, s.n + 1, kMatrix, s.batch)); \
  }
#define MATINV(symbol, type)                                                                     \
  if (begins_call()) {                                                                           \
    const Factors s;                                                                             \
    const std::string a = operand(type, {s.batch, s.n, s.n});                                    \
    took(s.asked(#symbol, "matinv", a, a),                                                       \
         FUNCTION(symbol)(g_handle, s.n, kPointers, s.n, kPointers, s.n + 1, kMatrix, s.batch)); \
  }
#define GEQRF(symbol, type)                                                                  \
  if (begins_call()) {                                                                       \
    Factors s;                                                                               \
    took(s.asked(#symbol, "geqrf", operand(type, {s.batch, s.m, s.n})),                      \
         FUNCTION(symbol)(g_handle, s.m, s.n, kPointers, s.m, kPointers, &s.info, s.batch)); \
  }
#define GELS(symbol, type)                                                                         \
  if (begins_call()) {                                                                             \
    Factors s;                                                                                     \
    took(s.asked(#symbol, "gels", operand(type, {s.batch, s.m, s.n}),                              \
                 operand(type, {s.batch, s.m, s.nrhs})),                                           \
         FUNCTION(symbol)(g_handle, CUBLAS_OP_N, s.m, s.n, s.nrhs, kPointers, s.m, kPointers, s.m, \
                          &s.info, nullptr, s.batch));                                             \
  }
#define TPTTR(symbol, type)                                                   \
  if (begins_call()) {                                                        \
    const Half s;                                                             \
    took({#symbol, "tpttr", 0, 0, 0, 1, "",                                   \
          s.filled() + number("lda", s.lda) +                                 \
              word("operands", s.packed(type) + " " + s.whole(type))},        \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, kMatrix, kMatrix, s.lda)); \
  }
#define TRTTP(symbol, type)                                                   \
  if (begins_call()) {                                                        \
    const Half s;                                                             \
    took({#symbol, "trttp", 0, 0, 0, 1, "",                                   \
          s.filled() + number("lda", s.lda) +                                 \
              word("operands", s.whole(type) + " " + s.packed(type))},        \
         FUNCTION(symbol)(g_handle, s.fill(), s.n, kMatrix, s.lda, kMatrix)); \
  }
#define FOR_32(form, name)                                                                       \
  form(cublasS##name, "float32") form(cublasD##name, "float64") form(cublasC##name, "complex64") \
      form(cublasZ##name, "complex128")

void call_factors() {
  FOR_32(TPTTR, tpttr)
  FOR_32(TRTTP, trttp)
  FOR_32(GETRF, getrfBatched)
  FOR_32(GETRS, getrsBatched)
  FOR_32(GETRI, getriBatched)
  FOR_32(MATINV, matinvBatched)
  FOR_32(GEQRF, geqrfBatched)
  FOR_32(GELS, gelsBatched)
}

}  // namespace cublas_calls
