// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "calls.hpp"

namespace cudnn_calls {
namespace {

const float kOne = 1, kZero = 0;

cudnnTensorDescriptor_t tensor(std::initializer_list<int> sizes,
                               cudnnDataType_t type = CUDNN_DATA_FLOAT) {
  cudnnTensorDescriptor_t made = nullptr;
  cudnnCreateTensorDescriptor(&made);
  std::vector<int> strides(sizes.size(), 1);
  for (std::size_t i = sizes.size() - 1; i > 0; --i) {
    strides[i - 1] = strides[i] * sizes.begin()[i];
  }
  cudnnSetTensorNdDescriptor(made, type, static_cast<int>(sizes.size()), sizes.begin(),
                             strides.data());
  return made;
}

cudnnFilterDescriptor_t filter(std::initializer_list<int> sizes) {
  cudnnFilterDescriptor_t made = nullptr;
  cudnnCreateFilterDescriptor(&made);
  cudnnSetFilterNdDescriptor(made, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                             static_cast<int>(sizes.size()), sizes.begin());
  return made;
}

cudnnActivationDescriptor_t activation(cudnnActivationMode_t mode) {
  cudnnActivationDescriptor_t made = nullptr;
  cudnnCreateActivationDescriptor(&made);
  cudnnSetActivationDescriptor(made, mode, CUDNN_NOT_PROPAGATE_NAN, 1.0);
  return made;
}

cudnnConvolutionDescriptor_t convolution(std::initializer_list<int> padding,
                                         std::initializer_list<int> stride, int groups = 1) {
  cudnnConvolutionDescriptor_t made = nullptr;
  cudnnCreateConvolutionDescriptor(&made);
  const int dilation[] = {1, 1, 1};
  cudnnSetConvolutionNdDescriptor(made, static_cast<int>(padding.size()), padding.begin(),
                                  stride.begin(), dilation, CUDNN_CROSS_CORRELATION,
                                  CUDNN_DATA_FLOAT);
  cudnnSetConvolutionGroupCount(made, groups);
  return made;
}

/// Makes the calls, and counts those that are refused.
class Layers {
 public:
  Layers(const Machine& machine, cudnnHandle_t handle) : machine_(machine), handle_(handle) {
    char* at = machine.memory;
    const std::size_t part = machine.bytes / 32;
    for (void** place : {&x_, &w_, &y_, &z_, &parameters_[0], &parameters_[1], &parameters_[2],
                         &parameters_[3], &parameters_[4], &parameters_[5]}) {
      *place = at;
      at += part;
    }
    work_ = at;
    work_bytes_ = part * 8;
    reserve_ = at + work_bytes_;
  }

  int make() {
    convolve();
    normalize();
    activate();
    change_tensors();
    recur();
    attend();
    measure_loss();
    return refused_;
  }

 private:
  template <typename Call>
  void call(const char* function, const char* line, Call made) {
    if (!said(machine_, function, line, made)) ++refused_;
  }

  void convolve() {
    const auto x = tensor({2, 8, 10, 9}), y = tensor({2, 12, 5, 7});
    const auto w = filter({12, 4, 3, 3});
    const auto how = convolution({1, 0}, {2, 1}, 2);
    call("cudnnConvolutionForward",
         "cudnn::conv_fprop 2x8x10x9:float32 12x4x3x3:float32 2x12x5x7:float32 padding=1,0 "
         "stride=2,1 dilation=1,1 groups=2 compute=float32 algorithm=0",
         [&] {
           return cudnnConvolutionForward(handle_, &kOne, x, x_, w, w_, how,
                                          CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, work_,
                                          work_bytes_, &kZero, y, y_);
         });
    call(
        "cudnnConvolutionBackwardData",
        "cudnn::conv_dgrad 12x4x3x3:float32 2x12x5x7:float32 2x8x10x9:float32 part=data stride=2,1 "
        "groups=2",
        [&] {
          return cudnnConvolutionBackwardData(handle_, &kOne, w, w_, y, y_, how,
                                              CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, work_, work_bytes_,
                                              &kZero, x, x_);
        });
    call("cudnnConvolutionBackwardFilter",
         "cudnn::conv_wgrad 2x8x10x9:float32 2x12x5x7:float32 12x4x3x3:float32 part=weight "
         "algorithm=1 accumulates=1",
         [&] {
           return cudnnConvolutionBackwardFilter(handle_, &kOne, x, x_, y, y_, how,
                                                 CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, work_,
                                                 work_bytes_, &kOne, w, w_);
         });
    const auto bias = tensor({1, 12, 1, 1});
    call("cudnnConvolutionBackwardBias",
         "cudnn::conv_bgrad 2x12x5x7:float32 1x12x1x1:float32 part=bias", [&] {
           return cudnnConvolutionBackwardBias(handle_, &kOne, y, y_, &kZero, bias, parameters_[0]);
         });
    const auto space = tensor({1, 4, 6, 6, 6}), result = tensor({1, 8, 4, 4, 4});
    const auto cube = filter({8, 4, 3, 3, 3});
    const auto in_space = convolution({0, 0, 0}, {1, 1, 1});
    call("cudnnConvolutionForward",
         "cudnn::conv_fprop 1x4x6x6x6:float32 8x4x3x3x3:float32 1x8x4x4x4:float32 padding=0,0,0",
         [&] {
           return cudnnConvolutionForward(handle_, &kOne, space, x_, cube, w_, in_space,
                                          CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, work_,
                                          work_bytes_, &kZero, result, y_);
         });
    fuse();
    const auto one = convolution({1, 1}, {1, 1});
    const auto small = filter({4, 8, 3, 3});
    call("cudnnIm2Col", "cudnn::im2col 2x8x10x9:float32 4x8x3x3:float32 padding=1,1",
         [&] { return cudnnIm2Col(handle_, x, x_, small, one, y_); });
    call("cudnnReorderFilterAndBias", "cudnn::reorder_filter 4x8x3x3:float32", [&] {
      return cudnnReorderFilterAndBias(handle_, small, CUDNN_DEFAULT_REORDER, w_, y_, 0, nullptr,
                                       nullptr);
    });
  }

  void fuse() {
    const auto x = tensor({2, 8, 6, 6}), y = tensor({2, 16, 6, 6}), bias = tensor({1, 16, 1, 1});
    const auto w = filter({16, 8, 1, 1});
    const auto how = convolution({0, 0}, {1, 1});
    const auto relu = activation(CUDNN_ACTIVATION_RELU);
    const auto fused = [&](const float* of_z) {
      return cudnnConvolutionBiasActivationForward(
          handle_, &kOne, x, x_, w, w_, how, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
          work_, work_bytes_, of_z, y, z_, bias, parameters_[0], relu, y, y_);
    };
    call(
        "cudnnConvolutionBiasActivationForward",
        "cudnn::conv_bias_act 2x8x6x6:float32 16x8x1x1:float32 - 1x16x1x1:float32 2x16x6x6:float32 "
        "epilogue=relu algorithm=1",
        [&] { return fused(&kZero); });
    call("cudnnConvolutionBiasActivationForward",
         "cudnn::conv_bias_act 2x8x6x6:float32 16x8x1x1:float32 2x16x6x6:float32 1x16x1x1:float32 "
         "2x16x6x6:float32",
         [&] { return fused(&kOne); });
  }

  void normalize() {
    const auto x = tensor({4, 6, 5, 5}), of_channel = tensor({1, 6, 1, 1});
    const auto mode = CUDNN_BATCHNORM_SPATIAL;
    void* const* const p = parameters_;
    call("cudnnBatchNormalizationForwardInference",
         "cudnn::batch_norm_inference 4x6x5x5:float32 4x6x5x5:float32 1x6x1x1:float32 "
         "1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32",
         [&] {
           return cudnnBatchNormalizationForwardInference(handle_, mode, &kOne, &kZero, x, x_, x,
                                                          y_, of_channel, p[0], p[1], p[2], p[3],
                                                          1e-5);
         });
    call("cudnnBatchNormalizationForwardTraining",
         "cudnn::batch_norm_training 4x6x5x5:float32 4x6x5x5:float32 1x6x1x1:float32 "
         "1x6x1x1:float32 - - 1x6x1x1:float32 1x6x1x1:float32",
         [&] {
           return cudnnBatchNormalizationForwardTraining(handle_, mode, &kOne, &kZero, x, x_, x, y_,
                                                         of_channel, p[0], p[1], 1.0, nullptr,
                                                         nullptr, 1e-5, p[4], p[5]);
         });
    call("cudnnBatchNormalizationForwardTrainingEx",
         "cudnn::batch_norm_training_ex 4x6x5x5:float32 - 4x6x5x5:float32 1x6x1x1:float32 "
         "1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32",
         [&] {
           return cudnnBatchNormalizationForwardTrainingEx(
               handle_, mode, CUDNN_BATCHNORM_OPS_BN, &kOne, &kZero, x, x_, nullptr, nullptr, x, y_,
               of_channel, p[0], p[1], 1.0, p[2], p[3], 1e-5, p[4], p[5], nullptr, work_,
               work_bytes_, reserve_, work_bytes_);
         });
    call("cudnnBatchNormalizationBackward",
         "cudnn::batch_norm_backward 4x6x5x5:float32 4x6x5x5:float32 4x6x5x5:float32 "
         "1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32",
         [&] {
           return cudnnBatchNormalizationBackward(handle_, mode, &kOne, &kZero, &kOne, &kZero, x,
                                                  x_, x, y_, x, z_, of_channel, p[0], p[1], p[2],
                                                  1e-5, p[4], p[5]);
         });
    call("cudnnBatchNormalizationBackwardEx",
         "cudnn::batch_norm_ex_backward 4x6x5x5:float32 - 4x6x5x5:float32 - 4x6x5x5:float32 "
         "1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 "
         "1x6x1x1:float32",
         [&] {
           return cudnnBatchNormalizationBackwardEx(
               handle_, mode, CUDNN_BATCHNORM_OPS_BN, &kOne, &kZero, &kOne, &kZero, x, x_, nullptr,
               nullptr, x, y_, nullptr, nullptr, x, z_, of_channel, p[0], p[1], p[2], p[3], 1e-5,
               p[4], p[5], nullptr, work_, work_bytes_, reserve_, work_bytes_);
         });
    normalize_by_name(x, of_channel);
    normalize_locally(x);
  }

  void normalize_by_name(cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t of_channel) {
    void* const* const p = parameters_;
    const auto mode = CUDNN_NORM_PER_CHANNEL;
    const auto ops = CUDNN_NORM_OPS_NORM;
    const auto how = CUDNN_NORM_ALGO_STANDARD;
    call("cudnnNormalizationForwardInference",
         "cudnn::normalization_inference 4x6x5x5:float32 1x6x1x1:float32 1x6x1x1:float32 "
         "1x6x1x1:float32 1x6x1x1:float32 - 4x6x5x5:float32",
         [&] {
           return cudnnNormalizationForwardInference(handle_, mode, ops, how, &kOne, &kZero, x, x_,
                                                     of_channel, p[0], p[1], of_channel, p[2], p[3],
                                                     nullptr, nullptr, nullptr, x, y_, 1e-5, 1);
         });
    call("cudnnNormalizationForwardTraining",
         "cudnn::normalization_training 4x6x5x5:float32 1x6x1x1:float32 1x6x1x1:float32 "
         "1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 - 4x6x5x5:float32",
         [&] {
           return cudnnNormalizationForwardTraining(
               handle_, mode, ops, how, &kOne, &kZero, x, x_, of_channel, p[0], p[1], 1.0,
               of_channel, p[2], p[3], 1e-5, p[4], p[5], nullptr, nullptr, nullptr, x, y_, work_,
               work_bytes_, reserve_, work_bytes_, 1);
         });
    call("cudnnNormalizationBackward",
         "cudnn::batch_norm_ex_backward 4x6x5x5:float32 - 4x6x5x5:float32 - 4x6x5x5:float32 "
         "1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 1x6x1x1:float32 "
         "1x6x1x1:float32",
         [&] {
           return cudnnNormalizationBackward(
               handle_, mode, ops, how, &kOne, &kZero, &kOne, &kZero, x, x_, nullptr, nullptr, x,
               y_, nullptr, nullptr, x, z_, of_channel, p[0], p[1], p[2], p[3], 1e-5, of_channel,
               p[4], p[5], nullptr, work_, work_bytes_, reserve_, work_bytes_, 1);
         });
  }

  void normalize_locally(cudnnTensorDescriptor_t x) {
    cudnnLRNDescriptor_t how = nullptr;
    cudnnCreateLRNDescriptor(&how);
    cudnnSetLRNDescriptor(how, 5, 1e-4, 0.75, 2.0);
    const auto mode = CUDNN_LRN_CROSS_CHANNEL_DIM1;
    call("cudnnLRNCrossChannelForward",
         "cudnn::local_response_norm 4x6x5x5:float32 4x6x5x5:float32", [&] {
           return cudnnLRNCrossChannelForward(handle_, how, mode, &kOne, x, x_, &kZero, x, y_);
         });
    call("cudnnLRNCrossChannelBackward",
         "cudnn::local_response_norm_backward 4x6x5x5:float32 4x6x5x5:float32 4x6x5x5:float32 "
         "4x6x5x5:float32",
         [&] {
           return cudnnLRNCrossChannelBackward(handle_, how, mode, &kOne, x, y_, x, z_, x, x_,
                                               &kZero, x, w_);
         });
    const auto given = CUDNN_DIVNORM_PRECOMPUTED_MEANS;
    call("cudnnDivisiveNormalizationForward",
         "cudnn::divisive_norm 4x6x5x5:float32 4x6x5x5:float32", [&] {
           return cudnnDivisiveNormalizationForward(handle_, how, given, &kOne, x, x_, nullptr,
                                                    parameters_[0], parameters_[1], &kZero, x, y_);
         });
    call("cudnnDivisiveNormalizationBackward",
         "cudnn::divisive_norm_backward 4x6x5x5:float32 4x6x5x5:float32", [&] {
           return cudnnDivisiveNormalizationBackward(handle_, how, given, &kOne, x, x_, nullptr, y_,
                                                     parameters_[0], parameters_[1], &kZero, x, z_,
                                                     nullptr);
         });
  }

  void activate() {
    const auto x = tensor({2, 8, 6, 6});
    const auto sigmoid = activation(CUDNN_ACTIVATION_SIGMOID);
    const auto relu = activation(CUDNN_ACTIVATION_RELU);
    const char* const kFour = "2x8x6x6:float32 2x8x6x6:float32 2x8x6x6:float32 2x8x6x6:float32";
    call("cudnnActivationForward", "cudnn::sigmoid 2x8x6x6:float32 2x8x6x6:float32",
         [&] { return cudnnActivationForward(handle_, sigmoid, &kOne, x, x_, &kZero, x, y_); });
    call("cudnnActivationBackward", (std::string("cudnn::relu_backward ") + kFour).c_str(), [&] {
      return cudnnActivationBackward(handle_, relu, &kOne, x, y_, x, z_, x, x_, &kZero, x, w_);
    });
    call("cudnnSoftmaxForward", "cudnn::softmax 2x8x6x6:float32 2x8x6x6:float32 algorithm=1 mode=1",
         [&] {
           return cudnnSoftmaxForward(handle_, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL,
                                      &kOne, x, x_, &kZero, x, y_);
         });
    call("cudnnSoftmaxBackward",
         "cudnn::log_softmax_backward 2x8x6x6:float32 2x8x6x6:float32 2x8x6x6:float32 algorithm=2",
         [&] {
           return cudnnSoftmaxBackward(handle_, CUDNN_SOFTMAX_LOG, CUDNN_SOFTMAX_MODE_CHANNEL,
                                       &kOne, x, y_, x, z_, &kZero, x, w_);
         });
    pool(x);
    drop(x);
    sample(x);
  }

  void pool(cudnnTensorDescriptor_t x) {
    const auto y = tensor({2, 8, 3, 3});
    cudnnPoolingDescriptor_t most = nullptr, average = nullptr;
    cudnnCreatePoolingDescriptor(&most);
    cudnnCreatePoolingDescriptor(&average);
    cudnnSetPooling2dDescriptor(most, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 3, 3, 1, 1, 2, 2);
    cudnnSetPooling2dDescriptor(average, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
                                CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2);
    call("cudnnPoolingForward",
         "cudnn::max_pool2d 2x8x6x6:float32 2x8x3x3:float32 kernel_size=3,3 padding=1,1 stride=2,2",
         [&] { return cudnnPoolingForward(handle_, most, &kOne, x, x_, &kZero, y, y_); });
    call("cudnnPoolingBackward",
         "cudnn::avg_pool2d_backward 2x8x3x3:float32 2x8x3x3:float32 2x8x6x6:float32 "
         "2x8x6x6:float32 kernel_size=2,2",
         [&] {
           return cudnnPoolingBackward(handle_, average, &kOne, y, y_, y, z_, x, x_, &kZero, x, w_);
         });
  }

  void drop(cudnnTensorDescriptor_t x) {
    cudnnDropoutDescriptor_t how = nullptr;
    cudnnCreateDropoutDescriptor(&how);
    std::size_t bytes = 0;
    cudnnDropoutGetStatesSize(handle_, &bytes);
    cudnnSetDropoutDescriptor(how, handle_, 0.5F, reserve_, bytes, 1);
    call("cudnnDropoutForward", "cudnn::dropout 2x8x6x6:float32 2x8x6x6:float32",
         [&] { return cudnnDropoutForward(handle_, how, x, x_, x, y_, work_, work_bytes_); });
    call("cudnnDropoutBackward", "cudnn::dropout_backward 2x8x6x6:float32 2x8x6x6:float32",
         [&] { return cudnnDropoutBackward(handle_, how, x, y_, x, z_, work_, work_bytes_); });
  }

  void sample(cudnnTensorDescriptor_t x) {
    cudnnSpatialTransformerDescriptor_t how = nullptr;
    cudnnCreateSpatialTransformerDescriptor(&how);
    const int sizes[] = {2, 8, 6, 6};
    cudnnSetSpatialTransformerNdDescriptor(how, CUDNN_SAMPLER_BILINEAR, CUDNN_DATA_FLOAT, 4, sizes);
    call("cudnnSpatialTfGridGeneratorForward", "cudnn::affine_grid",
         [&] { return cudnnSpatialTfGridGeneratorForward(handle_, how, w_, z_); });
    call("cudnnSpatialTfGridGeneratorBackward", "cudnn::affine_grid_backward",
         [&] { return cudnnSpatialTfGridGeneratorBackward(handle_, how, z_, w_); });
    call("cudnnSpatialTfSamplerForward", "cudnn::grid_sampler 2x8x6x6:float32 2x8x6x6:float32",
         [&] {
           return cudnnSpatialTfSamplerForward(handle_, how, &kOne, x, x_, z_, &kZero, x, y_);
         });
    call("cudnnSpatialTfSamplerBackward",
         "cudnn::grid_sampler_backward 2x8x6x6:float32 2x8x6x6:float32 2x8x6x6:float32", [&] {
           return cudnnSpatialTfSamplerBackward(handle_, how, &kOne, x, x_, &kZero, x, y_, &kOne, x,
                                                w_, z_, &kZero, parameters_[0]);
         });
  }

  void change_tensors() {
    const auto x = tensor({2, 8, 6, 6}), bias = tensor({1, 8, 1, 1});
    call("cudnnAddTensor", "cudnn::add 1x8x1x1:float32 2x8x6x6:float32",
         [&] { return cudnnAddTensor(handle_, &kOne, bias, w_, &kOne, x, x_); });
    cudnnOpTensorDescriptor_t times = nullptr;
    cudnnCreateOpTensorDescriptor(&times);
    cudnnSetOpTensorDescriptor(times, CUDNN_OP_TENSOR_MUL, CUDNN_DATA_FLOAT,
                               CUDNN_NOT_PROPAGATE_NAN);
    call("cudnnOpTensor", "cudnn::op_mul 2x8x6x6:float32 1x8x1x1:float32 2x8x6x6:float32", [&] {
      return cudnnOpTensor(handle_, times, &kOne, x, x_, &kOne, bias, w_, &kZero, x, y_);
    });
    cudnnReduceTensorDescriptor_t average = nullptr;
    cudnnCreateReduceTensorDescriptor(&average);
    cudnnSetReduceTensorDescriptor(average, CUDNN_REDUCE_TENSOR_AVG, CUDNN_DATA_FLOAT,
                                   CUDNN_NOT_PROPAGATE_NAN, CUDNN_REDUCE_TENSOR_NO_INDICES,
                                   CUDNN_32BIT_INDICES);
    call("cudnnReduceTensor", "cudnn::reduce_mean 2x8x6x6:float32 1x8x1x1:float32", [&] {
      return cudnnReduceTensor(handle_, average, nullptr, 0, work_, work_bytes_, &kOne, x, x_,
                               &kZero, bias, w_);
    });
    call("cudnnScaleTensor", "cudnn::scale 2x8x6x6:float32",
         [&] { return cudnnScaleTensor(handle_, x, x_, &kOne); });
    call("cudnnSetTensor", "cudnn::fill 2x8x6x6:float32",
         [&] { return cudnnSetTensor(handle_, x, x_, &kZero); });
    call("cudnnTransformTensor", "cudnn::transform 2x8x6x6:float32 2x8x6x6:float32",
         [&] { return cudnnTransformTensor(handle_, &kOne, x, x_, &kZero, x, y_); });
    cudnnTensorTransformDescriptor_t how = nullptr;
    cudnnCreateTensorTransformDescriptor(&how);
    cudnnSetTensorTransformDescriptor(how, 4, CUDNN_TENSOR_NHWC, nullptr, nullptr, nullptr,
                                      CUDNN_TRANSFORM_FOLD);
    call("cudnnTransformTensorEx", "cudnn::transform 2x8x6x6:float32 2x8x6x6:float32",
         [&] { return cudnnTransformTensorEx(handle_, how, &kOne, x, x_, &kZero, x, y_); });
    const auto w = filter({16, 8, 3, 3});
    call("cudnnTransformFilter", "cudnn::transform 16x8x3x3:float32 16x8x3x3:float32",
         [&] { return cudnnTransformFilter(handle_, how, &kOne, w, x_, &kZero, w, y_); });
    if (!machine_.is_real) {
      call("cudnnFusedOpsExecute", "cudnn::fused_ops",
           [&] { return cudnnFusedOpsExecute(handle_, nullptr, nullptr); });
    }
  }

  void recur() {
    cudnnDropoutDescriptor_t nothing = nullptr;
    cudnnCreateDropoutDescriptor(&nothing);
    cudnnSetDropoutDescriptor(nothing, handle_, 0, nullptr, 0, 0);
    cudnnRNNDescriptor_t lstm = nullptr;
    cudnnCreateRNNDescriptor(&lstm);
    cudnnSetRNNDescriptor_v8(lstm, CUDNN_RNN_ALGO_STANDARD, CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS,
                             CUDNN_BIDIRECTIONAL, CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
                             CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, 16, 32, 32, 2, nothing,
                             CUDNN_RNN_PADDED_IO_ENABLED);
    const auto data = [](int size) {
      cudnnRNNDataDescriptor_t made = nullptr;
      cudnnCreateRNNDataDescriptor(&made);
      const int lengths[] = {5, 5, 5, 5};
      float fill = 0;
      cudnnSetRNNDataDescriptor(made, CUDNN_DATA_FLOAT, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, 5,
                                4, size, lengths, &fill);
      return made;
    };
    const auto x = data(16), y = data(64);
    const auto h = tensor({4, 4, 32});
    std::size_t weights = 0, work = 0, reserve = 0;
    cudnnGetRNNWeightSpaceSize(handle_, lstm, &weights);
    cudnnGetRNNTempSpaceSizes(handle_, lstm, CUDNN_FWD_MODE_TRAINING, x, &work, &reserve);
    void* const* const p = parameters_;
    const std::string matrices =
        " [128x16:float32 128x32:float32 128x16:float32 128x32:float32 128x64:float32 "
        "128x32:float32 128x64:float32 128x32:float32]";
    const std::string facts = " cell=lstm layers=2 directions=2 hidden_size=32";
    call("cudnnRNNForward",
         ("cudnn::rnn 5x4x16:float32 5x4x64:float32 4x4x32:float32 4x4x32:float32 4x4x32:float32 "
          "4x4x32:float32" +
          matrices + facts)
             .c_str(),
         [&] {
           return cudnnRNNForward(handle_, lstm, CUDNN_FWD_MODE_TRAINING, nullptr, x, x_, y, y_, h,
                                  p[0], p[1], h, p[2], p[3], weights, w_, work, work_, reserve,
                                  reserve_);
         });
    call("cudnnRNNBackwardData_v8",
         ("cudnn::rnn_data_backward 5x4x64:float32 5x4x16:float32 4x4x32:float32 - 4x4x32:float32 "
          "4x4x32:float32 - 4x4x32:float32" +
          matrices + " part=data" + facts)
             .c_str(),
         [&] {
           return cudnnRNNBackwardData_v8(handle_, lstm, nullptr, y, y_, z_, x, x_, h, p[0],
                                          nullptr, p[1], h, p[2], nullptr, p[3], weights, w_, work,
                                          work_, reserve, reserve_);
         });
    call("cudnnRNNBackwardWeights_v8",
         ("cudnn::rnn_weight_backward 5x4x16:float32 4x4x32:float32 5x4x64:float32" + matrices +
          " part=weight" + facts)
             .c_str(),
         [&] {
           return cudnnRNNBackwardWeights_v8(handle_, lstm, CUDNN_WGRAD_MODE_ADD, nullptr, x, x_, h,
                                             p[0], y, y_, weights, w_, work, work_, reserve,
                                             reserve_);
         });
  }

  void attend() {
    cudnnAttnDescriptor_t how = nullptr;
    cudnnCreateAttnDescriptor(&how);
    cudnnSetAttnDescriptor(how, CUDNN_ATTN_QUERYMAP_ALL_TO_ONE, 2, 1.0, CUDNN_DATA_FLOAT,
                           CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, nullptr, nullptr, 16, 16, 16, 8, 8,
                           8, 16, 6, 6, 3, 1);
    cudnnSeqDataDescriptor_t x = nullptr;
    cudnnCreateSeqDataDescriptor(&x);
    const int sizes[] = {6, 3, 1, 16};
    const cudnnSeqDataAxis_t axes[] = {CUDNN_SEQDATA_TIME_DIM, CUDNN_SEQDATA_BATCH_DIM,
                                       CUDNN_SEQDATA_BEAM_DIM, CUDNN_SEQDATA_VECT_DIM};
    const int lengths[] = {6, 6, 6};
    cudnnSetSeqDataDescriptor(x, CUDNN_DATA_FLOAT, 4, sizes, axes, 3, lengths, nullptr);
    std::size_t weights = 0, work = 0, reserve = 0;
    cudnnGetMultiHeadAttnBuffers(handle_, how, &weights, &work, &reserve);
    const int from[] = {0, 0, 0, 0, 0, 0}, to[] = {6, 6, 6, 6, 6, 6};
    auto* const of_device = static_cast<int*>(parameters_[5]);
    void* const* const p = parameters_;
    const char* const kSix = "3x1x6x16:float32 3x1x6x16:float32 3x1x6x16:float32 3x1x6x16:float32";
    const std::string facts = " heads=2 q_projected=8 o_projected=16";
    call("cudnnMultiHeadAttnForward",
         (std::string("cudnn::multi_head_attn ") + kSix + facts).c_str(), [&] {
           return cudnnMultiHeadAttnForward(handle_, how, -1, from, to, of_device, of_device, x, x_,
                                            nullptr, x, y_, x, z_, x, p[0], weights, w_, work,
                                            work_, reserve, reserve_);
         });
    call("cudnnMultiHeadAttnBackwardData",
         (std::string("cudnn::multi_head_attn_backward ") + kSix + " part=data" + facts).c_str(),
         [&] {
           return cudnnMultiHeadAttnBackwardData(handle_, how, from, to, of_device, of_device, x,
                                                 p[0], x, p[1], x_, x, p[2], y_, x, p[3], z_,
                                                 weights, w_, work, work_, reserve, reserve_);
         });
    call("cudnnMultiHeadAttnBackwardWeights",
         (std::string("cudnn::multi_head_attn_backward ") + kSix + " part=weight" + facts).c_str(),
         [&] {
           return cudnnMultiHeadAttnBackwardWeights(handle_, how, CUDNN_WGRAD_MODE_SET, x, x_, x,
                                                    y_, x, z_, x, p[0], weights, w_, p[4], work,
                                                    work_, reserve, reserve_);
         });
  }

  void measure_loss() {
    cudnnCTCLossDescriptor_t how = nullptr;
    cudnnCreateCTCLossDescriptor(&how);
    cudnnSetCTCLossDescriptor(how, CUDNN_DATA_FLOAT);
    const auto x = tensor({4, 2, 5});
    const int labels[] = {1, 2, 1, 3}, lengths[] = {2, 2}, steps[] = {4, 4};
    call("cudnnCTCLoss", "cudnn::ctc_loss 4x2x5:float32 4x2x5:float32 algorithm=0", [&] {
      return cudnnCTCLoss(handle_, x, x_, labels, lengths, steps, w_, x, y_,
                          CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, how, work_, work_bytes_);
    });
    cudnnSetCTCLossDescriptor_v9(how, CUDNN_DATA_FLOAT, CUDNN_LOSS_NORMALIZATION_SOFTMAX,
                                 CUDNN_CTC_ZERO_OOB_GRADIENTS, 2);
    auto* const numbers = static_cast<int*>(parameters_[5]);
    call("cudnnCTCLoss_v8", "cudnn::ctc_loss 4x2x5:float32 4x2x5:float32 algorithm=0", [&] {
      return cudnnCTCLoss_v8(handle_, CUDNN_CTC_LOSS_ALGO_DETERMINISTIC, how, x, x_, numbers,
                             numbers, numbers, w_, x, y_, work_bytes_, work_);
    });
  }

  const Machine& machine_;
  cudnnHandle_t handle_;
  int refused_ = 0;
  void *x_ = nullptr, *w_ = nullptr, *y_ = nullptr, *z_ = nullptr;
  void* parameters_[6] = {};
  char *work_ = nullptr, *reserve_ = nullptr;
  std::size_t work_bytes_ = 0;
};

}  // namespace

int make_layer_calls(const Machine& machine, cudnnHandle_t handle) {
  return Layers(machine, handle).make();
}

}  // namespace cudnn_calls
