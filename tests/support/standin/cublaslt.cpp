// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in cuBLASLt: descriptors that keep their attributes, and a product that launches a
// kernel.
#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "cublas_launch.hpp"

namespace {

/// By attribute.
using Attributes = std::array<std::uint64_t, 40>;

cublasStatus_t set(void* object, int attribute, const void* from, std::size_t bytes) {
  auto& value = (*static_cast<Attributes*>(object))[static_cast<std::size_t>(attribute)];
  value = 0;
  std::memcpy(&value, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get(const void* object, int attribute, void* to, std::size_t bytes,
                   std::size_t* written) {
  std::memcpy(to, &(*static_cast<const Attributes*>(object))[static_cast<std::size_t>(attribute)],
              bytes);
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
template <typename Object>
cublasStatus_t destroy(Object object) {
  delete reinterpret_cast<Attributes*>(object);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  auto* const object = new Attributes{};
  (*object)[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE] = static_cast<std::uint64_t>(compute);
  (*object)[CUBLASLT_MATMUL_DESC_SCALE_TYPE] = static_cast<std::uint64_t>(scale);
  (*object)[CUBLASLT_MATMUL_DESC_EPILOGUE] = CUBLASLT_EPILOGUE_DEFAULT;
  for (const int type :
       {CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE})
    (*object)[static_cast<std::size_t>(type)] = UINT32_MAX;
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(object);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t object) { return destroy(object); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t object,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* from, std::size_t bytes) {
  return set(object, attribute, from, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t object,
                                              cublasLtMatmulDescAttributes_t attribute, void* to,
                                              std::size_t bytes, std::size_t* written) {
  return get(object, attribute, to, bytes, written);
}

cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t* made,
                                                 cudaDataType scale) {
  auto* const object = new Attributes{};
  (*object)[CUBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE] = static_cast<std::uint64_t>(scale);
  *made = reinterpret_cast<cublasLtMatrixTransformDesc_t>(object);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixTransformDescDestroy(cublasLtMatrixTransformDesc_t object) {
  return destroy(object);
}
cublasStatus_t cublasLtMatrixTransformDescSetAttribute(
    cublasLtMatrixTransformDesc_t object, cublasLtMatrixTransformDescAttributes_t attribute,
    const void* from, std::size_t bytes) {
  return set(object, attribute, from, bytes);
}
cublasStatus_t cublasLtMatrixTransformDescGetAttribute(
    cublasLtMatrixTransformDesc_t object, cublasLtMatrixTransformDescAttributes_t attribute,
    void* to, std::size_t bytes, std::size_t* written) {
  return get(object, attribute, to, bytes, written);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t ld) {
  auto* const object = new Attributes{};
  (*object)[CUBLASLT_MATRIX_LAYOUT_TYPE] = static_cast<std::uint64_t>(type);
  (*object)[CUBLASLT_MATRIX_LAYOUT_ROWS] = rows;
  (*object)[CUBLASLT_MATRIX_LAYOUT_COLS] = columns;
  (*object)[CUBLASLT_MATRIX_LAYOUT_LD] = static_cast<std::uint64_t>(ld);
  (*object)[CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT] = 1;
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(object);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t object) {
  return destroy(object);
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t object,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* from, std::size_t bytes) {
  return set(object, attribute, from, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t object,
                                                cublasLtMatrixLayoutAttribute_t attribute, void* to,
                                                std::size_t bytes, std::size_t* written) {
  return get(object, attribute, to, bytes, written);
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* object,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* to, std::size_t bytes,
                                                    std::size_t* written) {
  std::memcpy(to, &object->data[attribute], bytes);
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*,
                              cublasLtMatrixLayout_t, const void*, cublasLtMatrixLayout_t,
                              const void*, const void*, cublasLtMatrixLayout_t, void*,
                              cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void*,
                              std::size_t, cudaStream_t) {
  return standin_product("cublasLtMatmul");
}
cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t, cublasLtMatrixTransformDesc_t, const void*,
                                       const void*, cublasLtMatrixLayout_t, const void*,
                                       const void*, cublasLtMatrixLayout_t, void*,
                                       cublasLtMatrixLayout_t, cudaStream_t) {
  return standin_product("cublasLtMatrixTransform");
}
