// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in cuFFT: plans are numbers, and each transform launches a kernel of its name.
#include <cufftXt.h>

#include "library_launch.hpp"

namespace {

int g_plans = 0;

cufftResult make_plan(cufftHandle* plan) {
  *plan = ++g_plans;
  return CUFFT_SUCCESS;
}

cufftResult transform(const char* function) {
  return standin_launch(function) == 0 ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

}  // namespace

cufftResult cufftCreate(cufftHandle* plan) { return make_plan(plan); }
cufftResult cufftDestroy(cufftHandle) { return CUFFT_SUCCESS; }
cufftResult cufftPlan1d(cufftHandle* plan, int, cufftType, int) { return make_plan(plan); }
cufftResult cufftPlan2d(cufftHandle* plan, int, int, cufftType) { return make_plan(plan); }
cufftResult cufftPlan3d(cufftHandle* plan, int, int, int, cufftType) { return make_plan(plan); }
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int*, int*, int, int, int*, int, int,
                          cufftType, int) {
  return rank > 3 ? CUFFT_INVALID_SIZE : make_plan(plan);
}
cufftResult cufftMakePlanMany64(cufftHandle, int, long long*, long long*, long long, long long,
                                long long*, long long, long long, cufftType, long long, size_t*) {
  return CUFFT_SUCCESS;
}
cufftResult cufftXtMakePlanMany(cufftHandle, int, long long*, long long*, long long, long long,
                                cudaDataType, long long*, long long, long long, cudaDataType,
                                long long, size_t*, cudaDataType) {
  return CUFFT_SUCCESS;
}
cufftResult cufftExecC2C(cufftHandle, cufftComplex*, cufftComplex*, int) {
  return transform("cufftExecC2C");
}
cufftResult cufftExecR2C(cufftHandle, cufftReal*, cufftComplex*) {
  return transform("cufftExecR2C");
}
cufftResult cufftExecZ2D(cufftHandle, cufftDoubleComplex*, cufftDoubleReal*) {
  return transform("cufftExecZ2D");
}
cufftResult cufftXtExec(cufftHandle, void*, void*, int) { return transform("cufftXtExec"); }
cufftResult cufftXtExecDescriptorR2C(cufftHandle, cudaLibXtDesc*, cudaLibXtDesc*) {
  return transform("cufftXtExecDescriptorR2C");
}
cufftResult cufftXtExecDescriptor(cufftHandle, cudaLibXtDesc*, cudaLibXtDesc*, int) {
  return transform("cufftXtExecDescriptor");
}
