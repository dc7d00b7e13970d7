// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The stand-in cuDNN's descriptors of layers, which tell what they were given.
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

struct Descriptor {
  int type = 0, mode = 0, other = 0, groups = 1;
  std::vector<int> sizes, second, third;
};

Descriptor& of(void* descriptor) { return *static_cast<Descriptor*>(descriptor); }

template <typename Pointer>
cudnnStatus_t make(Pointer* made) {
  *made = reinterpret_cast<Pointer>(new Descriptor);
  return CUDNN_STATUS_SUCCESS;
}

std::vector<int> list(const int* numbers, int count) { return {numbers, numbers + count}; }

void give(const std::vector<int>& numbers, int room, int* to) {
  std::copy_n(numbers.begin(),
              std::min<std::size_t>(numbers.size(), static_cast<std::size_t>(room)), to);
}

}  // namespace

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) { return make(handle); }
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete reinterpret_cast<Descriptor*>(handle);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t, cudaStream_t) { return CUDNN_STATUS_SUCCESS; }

#define PROF_MADE(Kind)                                                          \
  cudnnStatus_t cudnnCreate##Kind##Descriptor(cudnn##Kind##Descriptor_t* made) { \
    return make(made);                                                           \
  }
PROF_MADE(Tensor)
PROF_MADE(Filter)
PROF_MADE(Activation)
PROF_MADE(Convolution)
PROF_MADE(Pooling)
PROF_MADE(OpTensor)
PROF_MADE(ReduceTensor)
PROF_MADE(LRN)
PROF_MADE(Dropout)
PROF_MADE(SpatialTransformer)
PROF_MADE(TensorTransform)
PROF_MADE(RNN)
PROF_MADE(RNNData)
PROF_MADE(Attn)
PROF_MADE(SeqData)
PROF_MADE(CTCLoss)
#undef PROF_MADE

cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t made, cudnnDataType_t type,
                                         int rank, const int* sizes, const int* strides) {
  of(made) = {type, 0, 0, 1, list(sizes, rank), list(strides, rank), {}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t made, int room,
                                         cudnnDataType_t* type, int* rank, int* sizes,
                                         int* strides) {
  *type = static_cast<cudnnDataType_t>(of(made).type);
  *rank = static_cast<int>(of(made).sizes.size());
  give(of(made).sizes, room, sizes);
  give(of(made).second, room, strides);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t made, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int rank, const int* sizes) {
  of(made) = {type, format, 0, 1, list(sizes, rank), {}, {}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t made, int room,
                                         cudnnDataType_t* type, cudnnTensorFormat_t* format,
                                         int* rank, int* sizes) {
  *type = static_cast<cudnnDataType_t>(of(made).type);
  *format = static_cast<cudnnTensorFormat_t>(of(made).mode);
  *rank = static_cast<int>(of(made).sizes.size());
  give(of(made).sizes, room, sizes);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t made, int rank,
                                              const int* padding, const int* stride,
                                              const int* dilation, cudnnConvolutionMode_t mode,
                                              cudnnDataType_t type) {
  of(made) = {type, mode, 0, 1, list(padding, rank), list(stride, rank), list(dilation, rank)};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionNdDescriptor(const cudnnConvolutionDescriptor_t made, int room,
                                              int* rank, int* padding, int* stride, int* dilation,
                                              cudnnConvolutionMode_t* mode, cudnnDataType_t* type) {
  *type = static_cast<cudnnDataType_t>(of(made).type);
  *mode = static_cast<cudnnConvolutionMode_t>(of(made).mode);
  *rank = static_cast<int>(of(made).sizes.size());
  give(of(made).sizes, room, padding);
  give(of(made).second, room, stride);
  give(of(made).third, room, dilation);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t made, int groups) {
  of(made).groups = groups;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t made, int* groups) {
  *groups = of(made).groups;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t made,
                                           cudnnActivationMode_t mode, cudnnNanPropagation_t,
                                           double) {
  of(made).mode = mode;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetActivationDescriptor(const cudnnActivationDescriptor_t made,
                                           cudnnActivationMode_t* mode, cudnnNanPropagation_t* nan,
                                           double* bound) {
  *mode = static_cast<cudnnActivationMode_t>(of(made).mode);
  *nan = CUDNN_NOT_PROPAGATE_NAN;
  *bound = 1;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t made, cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t, int high, int wide, int pad_high,
                                          int pad_wide, int step_high, int step_wide) {
  of(made) = {0, mode, 0, 1, {high, wide}, {pad_high, pad_wide}, {step_high, step_wide}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetPoolingNdDescriptor(const cudnnPoolingDescriptor_t made, int room,
                                          cudnnPoolingMode_t* mode, cudnnNanPropagation_t* nan,
                                          int* rank, int* window, int* padding, int* stride) {
  if (room > CUDNN_DIM_MAX - 2) return CUDNN_STATUS_NOT_SUPPORTED;  // As the real one.
  *mode = static_cast<cudnnPoolingMode_t>(of(made).mode);
  *nan = CUDNN_NOT_PROPAGATE_NAN;
  *rank = static_cast<int>(of(made).sizes.size());
  give(of(made).sizes, room, window);
  give(of(made).second, room, padding);
  give(of(made).third, room, stride);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t made, cudnnOpTensorOp_t op,
                                         cudnnDataType_t type, cudnnNanPropagation_t) {
  of(made).mode = op;
  of(made).type = type;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetOpTensorDescriptor(const cudnnOpTensorDescriptor_t made,
                                         cudnnOpTensorOp_t* op, cudnnDataType_t* type,
                                         cudnnNanPropagation_t* nan) {
  *op = static_cast<cudnnOpTensorOp_t>(of(made).mode);
  *type = static_cast<cudnnDataType_t>(of(made).type);
  *nan = CUDNN_NOT_PROPAGATE_NAN;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetReduceTensorDescriptor(cudnnReduceTensorDescriptor_t made,
                                             cudnnReduceTensorOp_t op, cudnnDataType_t type,
                                             cudnnNanPropagation_t, cudnnReduceTensorIndices_t,
                                             cudnnIndicesType_t) {
  of(made).mode = op;
  of(made).type = type;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetReduceTensorDescriptor(const cudnnReduceTensorDescriptor_t made,
                                             cudnnReduceTensorOp_t* op, cudnnDataType_t* type,
                                             cudnnNanPropagation_t* nan,
                                             cudnnReduceTensorIndices_t* indices,
                                             cudnnIndicesType_t* index_type) {
  *op = static_cast<cudnnReduceTensorOp_t>(of(made).mode);
  *type = static_cast<cudnnDataType_t>(of(made).type);
  *nan = CUDNN_NOT_PROPAGATE_NAN;
  *indices = CUDNN_REDUCE_TENSOR_NO_INDICES;
  *index_type = CUDNN_32BIT_INDICES;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t, unsigned, double, double, double) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, size_t* bytes) {
  *bytes = 64;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float, void*,
                                        size_t, unsigned long long) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t,
                                                     cudnnSamplerType_t, cudnnDataType_t, int,
                                                     const int*) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorTransformDescriptor(cudnnTensorTransformDescriptor_t, uint32_t,
                                                cudnnTensorFormat_t, const int32_t*, const int32_t*,
                                                const uint32_t*, cudnnFoldingDirection_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetCTCLossDescriptor(cudnnCTCLossDescriptor_t, cudnnDataType_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetCTCLossDescriptor_v9(cudnnCTCLossDescriptor_t, cudnnDataType_t,
                                           cudnnLossNormalizationMode_t, cudnnCTCGradMode_t, int) {
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t made, cudnnRNNAlgo_t,
                                       cudnnRNNMode_t mode, cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t input,
                                       cudnnDataType_t type, cudnnDataType_t compute,
                                       cudnnMathType_t, int32_t size, int32_t hidden,
                                       int32_t projected, int32_t layers, cudnnDropoutDescriptor_t,
                                       uint32_t) {
  of(made) = {type,     mode, 0, 1, {size, hidden, projected, layers}, {bias, direction, input},
              {compute}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t made, cudnnRNNAlgo_t* algorithm,
                                       cudnnRNNMode_t* mode, cudnnRNNBiasMode_t* bias,
                                       cudnnDirectionMode_t* direction, cudnnRNNInputMode_t* input,
                                       cudnnDataType_t* type, cudnnDataType_t* compute,
                                       cudnnMathType_t* math, int32_t* size, int32_t* hidden,
                                       int32_t* projected, int32_t* layers,
                                       cudnnDropoutDescriptor_t* dropout, uint32_t* flags) {
  const Descriptor& known = of(made);
  *algorithm = CUDNN_RNN_ALGO_STANDARD;
  *mode = static_cast<cudnnRNNMode_t>(known.mode);
  *bias = static_cast<cudnnRNNBiasMode_t>(known.second[0]);
  *direction = static_cast<cudnnDirectionMode_t>(known.second[1]);
  *input = static_cast<cudnnRNNInputMode_t>(known.second[2]);
  *type = static_cast<cudnnDataType_t>(known.type);
  *compute = static_cast<cudnnDataType_t>(known.third[0]);
  *math = CUDNN_DEFAULT_MATH;
  *size = known.sizes[0];
  *hidden = known.sizes[1];
  *projected = known.sizes[2];
  *layers = known.sizes[3];
  *dropout = nullptr;
  *flags = 0;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t, size_t* bytes) {
  *bytes = 64;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t, cudnnForwardMode_t,
                                        cudnnRNNDataDescriptor_t, size_t* work, size_t* reserve) {
  *work = *reserve = 64;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t made, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int steps, int batch, int size,
                                        const int* lengths, void*) {
  of(made) = {type, layout, 0, 1, {steps, batch, size}, list(lengths, batch), {}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t made, cudnnDataType_t* type,
                                        cudnnRNNDataLayout_t* layout, int* steps, int* batch,
                                        int* size, int room, int* lengths, void*) {
  *type = static_cast<cudnnDataType_t>(of(made).type);
  *layout = static_cast<cudnnRNNDataLayout_t>(of(made).mode);
  *steps = of(made).sizes[0];
  *batch = of(made).sizes[1];
  *size = of(made).sizes[2];
  give(of(made).second, room, lengths);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnSetAttnDescriptor(cudnnAttnDescriptor_t made, unsigned mode, int heads, double,
                                     cudnnDataType_t type, cudnnDataType_t compute, cudnnMathType_t,
                                     cudnnDropoutDescriptor_t, cudnnDropoutDescriptor_t, int q,
                                     int k, int v, int q_projected, int k_projected,
                                     int v_projected, int o_projected, int queries, int keys,
                                     int batch, int beam) {
  of(made) = {
      type,
      static_cast<int>(mode),
      compute,
      heads,
      {q, k, v, q_projected, k_projected, v_projected, o_projected, queries, keys, batch, beam},
      {},
      {}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetAttnDescriptor(cudnnAttnDescriptor_t made, unsigned* mode, int* heads,
                                     double* scale, cudnnDataType_t* type, cudnnDataType_t* compute,
                                     cudnnMathType_t* math, cudnnDropoutDescriptor_t* dropout,
                                     cudnnDropoutDescriptor_t* after, int* q, int* k, int* v,
                                     int* q_projected, int* k_projected, int* v_projected,
                                     int* o_projected, int* queries, int* keys, int* batch,
                                     int* beam) {
  const Descriptor& known = of(made);
  *mode = static_cast<unsigned>(known.mode);
  *heads = known.groups;
  *scale = 1;
  *type = static_cast<cudnnDataType_t>(known.type);
  *compute = static_cast<cudnnDataType_t>(known.other);
  *math = CUDNN_DEFAULT_MATH;
  *dropout = *after = nullptr;
  int* const all[] = {q,           k,       v,    q_projected, k_projected, v_projected,
                      o_projected, queries, keys, batch,       beam};
  for (std::size_t i = 0; i < std::size(all); ++i) *all[i] = known.sizes[i];
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetMultiHeadAttnBuffers(cudnnHandle_t, const cudnnAttnDescriptor_t,
                                           size_t* weights, size_t* work, size_t* reserve) {
  *weights = *work = *reserve = 64;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetSeqDataDescriptor(cudnnSeqDataDescriptor_t made, cudnnDataType_t type,
                                        int rank, const int* sizes, const cudnnSeqDataAxis_t*,
                                        size_t, const int*, void*) {
  of(made) = {type, 0, 0, 1, list(sizes, rank), {}, {}};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetSeqDataDescriptor(const cudnnSeqDataDescriptor_t made, cudnnDataType_t* type,
                                        int* rank, int room, int* sizes, cudnnSeqDataAxis_t*,
                                        size_t* lengths, size_t, int*, void*) {
  *type = static_cast<cudnnDataType_t>(of(made).type);
  *rank = static_cast<int>(of(made).sizes.size());
  *lengths = 0;
  give(of(made).sizes, room, sizes);
  return CUDNN_STATUS_SUCCESS;
}
