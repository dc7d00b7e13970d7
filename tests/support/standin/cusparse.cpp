// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in cuSPARSE's descriptors, which tell their sizes.
#include <cusparse.h>

namespace {

struct Descriptor {
  int64_t rows, columns, nnz, ld;
  cudaDataType type;
  cusparseOrder_t order;
};

const Descriptor& of(const void* descriptor) { return *static_cast<const Descriptor*>(descriptor); }

template <typename Pointer>
cusparseStatus_t make(Pointer* made, Descriptor descriptor) {
  *made = reinterpret_cast<Pointer>(new Descriptor(descriptor));
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t* made, int64_t rows, int64_t columns,
                                   int64_t nnz, void*, void*, void*, cusparseIndexType_t,
                                   cusparseIndexType_t, cusparseIndexBase_t, cudaDataType type) {
  return make(made, {rows, columns, nnz, 0, type, CUSPARSE_ORDER_ROW});
}
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t* made, int64_t rows, int64_t columns,
                                     int64_t ld, void*, cudaDataType type, cusparseOrder_t order) {
  return make(made, {rows, columns, 0, ld, type, order});
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t* made, int64_t size, void*,
                                     cudaDataType type) {
  return make(made, {size, 1, 0, size, type, CUSPARSE_ORDER_COL});
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t* rows,
                                      int64_t* columns, int64_t* nnz) {
  *rows = of(matrix).rows;
  *columns = of(matrix).columns;
  *nnz = of(matrix).nnz;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t, cusparseFormat_t* format) {
  *format = CUSPARSE_FORMAT_CSR;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t matrix, int64_t* rows,
                                       int64_t* columns, int64_t* ld, const void**,
                                       cudaDataType* type, cusparseOrder_t* order) {
  *rows = of(matrix).rows;
  *columns = of(matrix).columns;
  *ld = of(matrix).ld;
  *type = of(matrix).type;
  *order = of(matrix).order;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseConstDnVecGet(cusparseConstDnVecDescr_t vector, int64_t* size,
                                       const void**, cudaDataType* type) {
  *size = of(vector).rows;
  *type = of(vector).type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* made, int64_t size, int64_t nnz, void*,
                                     void*, cusparseIndexType_t, cusparseIndexBase_t,
                                     cudaDataType type) {
  return make(made, {size, 1, nnz, size, type, CUSPARSE_ORDER_COL});
}
cusparseStatus_t cusparseConstSpVecGet(cusparseConstSpVecDescr_t vector, int64_t* size,
                                       int64_t* nnz, const void**, const void**,
                                       cusparseIndexType_t*, cusparseIndexBase_t*,
                                       cudaDataType* type) {
  *size = of(vector).rows;
  *nnz = of(vector).nnz;
  *type = of(vector).type;
  return CUSPARSE_STATUS_SUCCESS;
}
