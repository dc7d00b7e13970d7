// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls cuFFT, cuSOLVER and cuSPARSE, one function of each form of parameters, and prints a line
// for each call: what its op is to be, with the operands as SIZES:TYPE and facts as KEY=VALUE.
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
}

}  // namespace

int main() {
  transform();
  factorize();
  multiply_sparse();
  return g_failed;
}
