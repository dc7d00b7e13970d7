// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls cuFFT, cuSOLVER and cuSPARSE, one function of each form of parameters, and prints a line
// for each call: what its op is to be, with the operands as SIZES:TYPE and facts as KEY=VALUE.
#define DISABLE_CUSPARSE_DEPRECATED  // They are called all the same.
#include <cufftXt.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>

namespace {

float* const kReal = nullptr;
double* const kDouble = nullptr;
cufftComplex* const kComplex = nullptr;
int* const kInts = nullptr;
int g_failed = 0;

void called(const char* what, int status) {
  std::printf("%s\n", what);
  if (status != 0) ++g_failed;
}

void transform() {
  cufftHandle plan = 0;
  cufftPlan1d(&plan, 16, CUFFT_C2C, 3);
  called("cufft::c2c 3x16:complex64 3x16:complex64 rank=1 direction=inverse",
         cufftExecC2C(plan, kComplex, kComplex, CUFFT_INVERSE));
  cufftDestroy(plan);
  called("cufft::c2c direction=forward", cufftExecC2C(plan, kComplex, kComplex, CUFFT_FORWARD));
  cufftPlan2d(&plan, 6, 10, CUFFT_R2C);
  called("cufft::r2c 1x6x10:float32 1x6x6:complex64 rank=2 last_dim_size=10 direction=forward",
         cufftExecR2C(plan, kReal, kComplex));
  cufftPlan3d(&plan, 4, 5, 9, CUFFT_Z2D);
  called("cufft::c2r 1x4x5x5:complex128 1x4x5x9:float64 rank=3 last_dim_size=9 direction=inverse",
         cufftExecZ2D(plan, nullptr, kDouble));
  int sizes[] = {8, 12};
  cufftPlanMany(&plan, 2, sizes, nullptr, 1, 96, nullptr, 1, 96, CUFFT_C2C, 7);
  called("cufft::c2c 7x8x12:complex64 7x8x12:complex64 rank=2",
         cufftExecC2C(plan, kComplex, kComplex, CUFFT_FORWARD));
  cufftCreate(&plan);
  long long longs[] = {32};
  std::size_t bytes = 0;
  cufftMakePlanMany64(plan, 1, longs, nullptr, 1, 32, nullptr, 1, 32, CUFFT_C2C, 4, &bytes);
  called("cufft::c2c 4x32:complex64 4x32:complex64 rank=1",
         cufftExecC2C(plan, kComplex, kComplex, CUFFT_FORWARD));
  cufftXtMakePlanMany(plan, 1, longs, nullptr, 1, 32, CUDA_R_16F, nullptr, 1, 17, CUDA_C_16F, 5,
                      &bytes, CUDA_C_16F);
  called("cufft::r2c 5x32:float16 5x17:complex32 rank=1 last_dim_size=32",
         cufftXtExec(plan, nullptr, nullptr, CUFFT_FORWARD));
  called("cufft::r2c 5x32:float16 5x17:complex32 rank=1 direction=forward",
         cufftXtExecDescriptorR2C(plan, nullptr, nullptr));
  called("cufft::r2c 5x32:float16 5x17:complex32 rank=1 direction=forward",
         cufftXtExecDescriptor(plan, nullptr, nullptr, CUFFT_FORWARD));
}

void factorize() {
  cusolverDnHandle_t handle = nullptr;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const auto vectors = CUSOLVER_EIG_MODE_VECTOR;
  called("cusolver::getrf 6x5:float32 function=cusolverDnSgetrf",
         cusolverDnSgetrf(handle, 6, 5, kReal, 8, kReal, kInts, kInts));
  called("cusolver::getrs 5x5:float64 5x3:float64",
         cusolverDnDgetrs(handle, CUBLAS_OP_N, 5, 3, kDouble, 5, kInts, kDouble, 7, kInts));
  called("cusolver::potrf 9x9:complex64",
         cusolverDnCpotrf(handle, lower, 9, nullptr, 9, nullptr, 0, kInts));
  called("cusolver::potrf 4x3x3:float32",
         cusolverDnSpotrfBatched(handle, lower, 3, nullptr, 3, kInts, 4));
  called("cusolver::potrs 9x9:float32 9x2:float32",
         cusolverDnSpotrs(handle, lower, 9, 2, kReal, 9, kReal, 9, kInts));
  called("cusolver::potrs 4x3x3:float32 4x3x1:float32",
         cusolverDnSpotrsBatched(handle, lower, 3, 1, nullptr, 3, nullptr, 3, kInts, 4));
  called("cusolver::geqrf 9x4:float32",
         cusolverDnSgeqrf(handle, 9, 4, kReal, 9, kReal, kReal, 0, kInts));
  called("cusolver::orgqr 9x4:float32 k=3",
         cusolverDnSorgqr(handle, 9, 4, 3, kReal, 9, kReal, kReal, 0, kInts));
  called("cusolver::ormqr 6x3:float32 5x6:float32 side=right",
         cusolverDnSormqr(handle, CUBLAS_SIDE_RIGHT, CUBLAS_OP_T, 5, 6, 3, kReal, 6, kReal, kReal,
                          5, kReal, 0, kInts));
  called("cusolver::gesvd 9x4:float32",
         cusolverDnSgesvd(handle, 'A', 'A', 9, 4, kReal, 9, kReal, kReal, 9, kReal, 4, kReal, 0,
                          kReal, kInts));
  called("cusolver::gesvd 5x8x4:float32",
         cusolverDnSgesvdaStridedBatched(handle, vectors, 4, 8, 4, kReal, 8, 32, kReal, 4, kReal, 8,
                                         32, kReal, 4, 16, kReal, 0, kInts, kDouble, 5));
  called("cusolver::syev 7x7:float64",
         cusolverDnDsyevd(handle, vectors, lower, 7, kDouble, 7, kDouble, kDouble, 0, kInts));
  called("cusolver::syev 6x7x7:float32",
         cusolverDnSsyevjBatched(handle, vectors, lower, 7, kReal, 7, kReal, kReal, 0, kInts,
                                 nullptr, 6));
  called("cusolver::sygv 7x7:float32 7x7:float32",
         cusolverDnSsygvd(handle, CUSOLVER_EIG_TYPE_1, vectors, lower, 7, kReal, 7, kReal, 7, kReal,
                          kReal, 0, kInts));
  called("cusolver::getrf 60x50:float64",
         cusolverDnXgetrf(handle, nullptr, 60, 50, CUDA_R_64F, nullptr, 60, nullptr, CUDA_R_64F,
                          nullptr, 0, nullptr, 0, kInts));
  called("cusolver::getrs 50x50:float32 50x3:float64",
         cusolverDnXgetrs(handle, nullptr, CUBLAS_OP_N, 50, 3, CUDA_R_32F, nullptr, 50, nullptr,
                          CUDA_R_64F, nullptr, 50, kInts));
  called("cusolver::potrf 50x50:float32",
         cusolverDnXpotrf(handle, nullptr, lower, 50, CUDA_R_32F, nullptr, 50, CUDA_R_32F, nullptr,
                          0, nullptr, 0, kInts));
  called("cusolver::syev 50x50:float32",
         cusolverDnXsyevd(handle, nullptr, vectors, lower, 50, CUDA_R_32F, nullptr, 50, CUDA_R_32F,
                          nullptr, CUDA_R_32F, nullptr, 0, nullptr, 0, kInts));
}

void factorize_more() {
  cusolverDnHandle_t handle = nullptr;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const auto vectors = CUSOLVER_EIG_MODE_VECTOR;
  const auto all = CUSOLVER_EIG_RANGE_ALL;
  called("cusolver::sytri 7x7:float32",
         cusolverDnSsytri(handle, lower, 7, kReal, 7, kInts, kReal, 0, kInts));
  called("cusolver::lauum 7x7:float64",
         cusolverDnDlauum(handle, lower, 7, kDouble, 7, kDouble, 0, kInts));
  called("cusolver::laswp 4x9:float32", cusolverDnSlaswp(handle, 9, kReal, 7, 2, 5, kInts, 1));
  called("cusolver::orgtr 7x7:float32",
         cusolverDnSorgtr(handle, lower, 7, kReal, 7, kReal, kReal, 0, kInts));
  called("cusolver::ormtr 4x4:float32 9x4:float32 side=right",
         cusolverDnSormtr(handle, CUBLAS_SIDE_RIGHT, lower, CUBLAS_OP_T, 9, 4, kReal, 4, kReal,
                          kReal, 9, kReal, 0, kInts));
  called("cusolver::orgbr 9x4:float32 side=left k=4",
         cusolverDnSorgbr(handle, CUBLAS_SIDE_LEFT, 9, 4, 4, kReal, 9, kReal, kReal, 0, kInts));
  called("cusolver::gesv 8x8:float64 8x3:float64 function=cusolverDnDSgesv",
         cusolverDnDSgesv(handle, 8, 3, kDouble, 8, kInts, kDouble, 8, kDouble, 8, nullptr, 0,
                          kInts, kInts));
  called("cusolver::gels 9x4:float32 9x2:float32",
         cusolverDnSHgels(handle, 9, 4, 2, kReal, 9, kReal, 9, kReal, 4, nullptr, 0, kInts, kInts));
  called("cusolver::gesv 8x8:None 8x3:None",
         cusolverDnIRSXgesv(handle, nullptr, nullptr, 8, 3, nullptr, 8, nullptr, 8, nullptr, 8,
                            nullptr, 0, kInts, kInts));
  called("cusolver::gels 9x4:None 9x2:None",
         cusolverDnIRSXgels(handle, nullptr, nullptr, 9, 4, 2, nullptr, 9, nullptr, 9, nullptr, 4,
                            nullptr, 0, kInts, kInts));
  called("cusolver::sytrs 50x50:float32 50x3:float32",
         cusolverDnXsytrs(handle, lower, 50, 3, CUDA_R_32F, nullptr, 50, nullptr, CUDA_R_32F,
                          nullptr, 50, nullptr, 0, nullptr, 0, kInts));
  called("cusolver::trtri 50x50:float32",
         cusolverDnXtrtri(handle, lower, CUBLAS_DIAG_UNIT, 50, CUDA_R_32F, nullptr, 50, nullptr, 0,
                          nullptr, 0, kInts));
  called("cusolver::larft 50x8:float32",
         cusolverDnXlarft(handle, nullptr, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, 50, 8,
                          CUDA_R_32F, nullptr, 50, CUDA_R_32F, nullptr, CUDA_R_32F, nullptr, 8,
                          CUDA_R_32F, nullptr, 0, nullptr, 0));
  int found = 0;
  int64_t founds = 0;
  called("cusolver::syev 7x7:float32",
         cusolverDnSsyevdx(handle, vectors, all, lower, 7, kReal, 7, 0, 1, 1, 7, &found, kReal,
                           kReal, 0, kInts));
  called("cusolver::syev 7x7:float64",
         cusolverDnDsyevdx(handle, vectors, all, lower, 7, kDouble, 7, 0, 1, 1, 7, &found, kDouble,
                           kDouble, 0, kInts));
  called("cusolver::sygv 7x7:float64 7x7:float64",
         cusolverDnDsygvdx(handle, CUSOLVER_EIG_TYPE_1, vectors, all, lower, 7, kDouble, 7, kDouble,
                           7, 0, 1, 1, 7, &found, kDouble, kDouble, 0, kInts));
  called("cusolver::sygv 7x7:float32 7x7:float32",
         cusolverDnSsygvj(handle, CUSOLVER_EIG_TYPE_1, vectors, lower, 7, kReal, 7, kReal, 7, kReal,
                          kReal, 0, kInts, nullptr));
  called("cusolver::syev 50x50:float32",
         cusolverDnXsyevdx(handle, nullptr, vectors, all, lower, 50, CUDA_R_32F, nullptr, 50,
                           nullptr, nullptr, 1, 50, &founds, CUDA_R_32F, nullptr, CUDA_R_32F,
                           nullptr, 0, nullptr, 0, kInts));
  called("cusolver::gesvd 60x50:float32",
         cusolverDnXgesvdp(handle, nullptr, vectors, 1, 60, 50, CUDA_R_32F, nullptr, 60, CUDA_R_32F,
                           nullptr, CUDA_R_32F, nullptr, 60, CUDA_R_32F, nullptr, 50, CUDA_R_32F,
                           nullptr, 0, nullptr, 0, kInts, kDouble));
  called("cusolver::gesvd 60x50:float32 k=5",
         cusolverDnXgesvdr(handle, nullptr, 'S', 'S', 60, 50, 5, 2, 3, CUDA_R_32F, nullptr, 60,
                           CUDA_R_32F, nullptr, CUDA_R_32F, nullptr, 60, CUDA_R_32F, nullptr, 50,
                           CUDA_R_32F, nullptr, 0, nullptr, 0, kInts));
}

void multiply_sparse() {
  cusparseSpMatDescr_t sparse = nullptr;
  cusparseDnMatDescr_t wide = nullptr, tall = nullptr;
  cusparseDnVecDescr_t x = nullptr, y = nullptr;
  const auto index = CUSPARSE_INDEX_32I;
  const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseCreateCsr(&sparse, 100, 50, 300, nullptr, nullptr, nullptr, index, index,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateDnMat(&wide, 50, 8, 50, nullptr, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&tall, 100, 8, 8, nullptr, CUDA_R_32F, CUSPARSE_ORDER_ROW);
  cusparseCreateDnVec(&x, 50, nullptr, CUDA_R_64F);
  cusparseCreateDnVec(&y, 100, nullptr, CUDA_R_64F);
  called(
      "cusparse::spmm 100x50:float32 50x8:float32 100x8:float32 a_nnz=300 a_format=csr trans_a=n",
      cusparseSpMM(nullptr, plain, plain, nullptr, sparse, wide, nullptr, tall, CUDA_R_32F,
                   CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
  called("cusparse::spmv 100x50:float64 50x1:float64 100x1:float64 a_nnz=300",
         cusparseSpMV(nullptr, plain, nullptr, sparse, x, nullptr, y, CUDA_R_64F,
                      CUSPARSE_SPMV_ALG_DEFAULT, nullptr));
  called("cusparse::sddmm 100x8:float32 50x8:float32 100x50:float32 c_nnz=300 trans_b=t",
         cusparseSDDMM(nullptr, plain, CUSPARSE_OPERATION_TRANSPOSE, nullptr, tall, wide, nullptr,
                       sparse, CUDA_R_32F, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
  called("cusparse::spgemm 100x50:float32 100x50:float32 a_nnz=300 b_nnz=300",
         cusparseSpGEMM_compute(nullptr, CUSPARSE_OPERATION_TRANSPOSE, plain, nullptr, sparse,
                                sparse, nullptr, sparse, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT,
                                nullptr, nullptr, nullptr));
  called("cusparse::sparse_to_dense 100x50:float32 100x8:float32 a_nnz=300",
         cusparseSparseToDense(nullptr, sparse, tall, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr));
  called("cusparse::spgemm 100x50:None 100x50:None a_nnz=300 b_nnz=300 trans_a=t",
         cusparseSpGEMM_copy(nullptr, CUSPARSE_OPERATION_TRANSPOSE, plain, nullptr, sparse, sparse,
                             nullptr, sparse, CUDA_R_32F, CUSPARSE_SPGEMM_DEFAULT, nullptr));
  called("cusparse::spgemm 100x50:None 100x50:None b_format=csr",
         cusparseSpGEMMreuse_nnz(nullptr, CUSPARSE_OPERATION_TRANSPOSE, plain, sparse, sparse,
                                 sparse, CUSPARSE_SPGEMM_DEFAULT, nullptr, nullptr, nullptr,
                                 nullptr, nullptr, nullptr, nullptr));
  called("cusparse::spgemm 100x50:None 100x50:None b_format=csr",
         cusparseSpGEMMreuse_copy(nullptr, CUSPARSE_OPERATION_TRANSPOSE, plain, sparse, sparse,
                                  sparse, CUSPARSE_SPGEMM_DEFAULT, nullptr, nullptr, nullptr));
  called("cusparse::analysis 100x50:None a_nnz=300",
         cusparseSpSV_analysis(nullptr, plain, nullptr, sparse, x, y, CUDA_R_64F,
                               CUSPARSE_SPSV_ALG_DEFAULT, nullptr, nullptr));
  called("cusparse::analysis 100x50:None a_nnz=300",
         cusparseSpMM_preprocess(nullptr, plain, plain, nullptr, sparse, wide, nullptr, tall,
                                 CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr));
}

void solve_sparse() {
  cusparseSpVecDescr_t few = nullptr;
  cusparseDnVecDescr_t all = nullptr;
  cusparseCreateSpVec(&few, 90, 12, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                      CUDA_R_64F);
  cusparseCreateDnVec(&all, 90, nullptr, CUDA_R_64F);
  called("cusparse::spvv 90x1:float64 90x1:float64 a_nnz=12 trans_a=n",
         cusparseSpVV(nullptr, CUSPARSE_OPERATION_NON_TRANSPOSE, few, all, nullptr, CUDA_R_64F,
                      nullptr));
  called("cusparse::axpby 90x1:float64 90x1:float64 a_nnz=12",
         cusparseAxpby(nullptr, nullptr, few, nullptr, all));
  called("cusparse::gather 90x1:float64 90x1:float64 a_nnz=12", cusparseGather(nullptr, all, few));
  called("cusparse::scatter 90x1:float64 90x1:float64 a_nnz=12",
         cusparseScatter(nullptr, few, all));
  called("cusparse::gtsv 3x40:float32 40x5:float32",
         cusparseSgtsv2(nullptr, 40, 5, kReal, kReal, kReal, kReal, 41, nullptr));
  called(
      "cusparse::gtsv 6x3x40:float64 6x40x1:float64",
      cusparseDgtsv2StridedBatch(nullptr, 40, kDouble, kDouble, kDouble, kDouble, 6, 44, nullptr));
  called("cusparse::ilu0 70x70:float64 a_nnz=210",
         cusparseDcsrilu02(nullptr, 70, 210, nullptr, kDouble, kInts, kInts, nullptr,
                           CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr));
  called("cusparse::analysis 70x70:float32 a_nnz=210",
         cusparseScsric02_analysis(nullptr, 70, 210, nullptr, kReal, kInts, kInts, nullptr,
                                   CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr));
}

}  // namespace

int main() {
  transform();
  factorize();
  factorize_more();
  multiply_sparse();
  solve_sparse();
  return g_failed;
}
