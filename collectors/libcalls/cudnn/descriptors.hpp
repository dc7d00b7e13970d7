// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Contents of the descriptors that cuDNN's functions for layers take, queried from the library
// itself. Sizes are in the order of N, C, then space, whatever the order in memory.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "collectors/libcalls/call_facts.hpp"
#include "collectors/libcalls/real_function.hpp"

namespace prof::collectors {

/// The functions of one release that read the library's descriptors.
struct CudnnGetters {
  explicit constexpr CudnnGetters(const char* library)
      : tensor("cudnnGetTensorNdDescriptor", library),
        filter("cudnnGetFilterNdDescriptor", library),
        convolution("cudnnGetConvolutionNdDescriptor", library),
        groups("cudnnGetConvolutionGroupCount", library),
        activation("cudnnGetActivationDescriptor", library),
        pooling("cudnnGetPoolingNdDescriptor", library),
        reduction("cudnnGetReduceTensorDescriptor", library),
        elementwise("cudnnGetOpTensorDescriptor", library),
        rnn("cudnnGetRNNDescriptor_v8", library),
        rnn_data("cudnnGetRNNDataDescriptor", library),
        attention("cudnnGetAttnDescriptor", library),
        sequences("cudnnGetSeqDataDescriptor", library) {}

  RealFunction tensor, filter, convolution, groups, activation, pooling, reduction, elementwise,
      rnn, rnn_data, attention, sequences;
};

/// From a cudnnDataType_t; kUnknown: packs of elements, or less than a byte each.
DataType type_of_cudnn(std::int64_t type);
/// The type's word in tensors: "float32"; empty: unknown.
std::string_view word_of_cudnn_type(std::int64_t type);

/// An operand. Without sizes if the library does not state them.
struct CudnnTensor {
  static constexpr int kMaxRank = 8;  // CUDNN_DIM_MAX

  void write(CallFacts& facts) const;

  int rank = 0;
  DataType type = DataType::kUnknown;
  bool has_strides = false;
  std::array<std::int64_t, kMaxRank> sizes{}, strides{};
};

CudnnTensor read_tensor(CudnnGetters& getters, const void* descriptor);
CudnnTensor read_filter(CudnnGetters& getters, const void* descriptor);
/// Sizes: time, batch, size; if lengths differ, steps that are padding are left out: steps, size.
CudnnTensor read_rnn_data(CudnnGetters& getters, const void* descriptor);
/// Sizes: batch, beam, time, size.
CudnnTensor read_sequences(CudnnGetters& getters, const void* descriptor);

/// Each of these functions adds the facts of its descriptor.
void state_convolution(CallFacts& facts, CudnnGetters& getters, const void* descriptor);
void state_attention(CallFacts& facts, CudnnGetters& getters, const void* descriptor);

/// A cudnnActivationMode_t; negative: unknown.
int read_activation(CudnnGetters& getters, const void* descriptor);
/// A cudnnReduceTensorOp_t or cudnnOpTensorOp_t; negative: unknown.
int read_reduction(CudnnGetters& getters, const void* descriptor);
int read_elementwise(CudnnGetters& getters, const void* descriptor);

struct CudnnPooling {
  int mode = -1;  ///< cudnnPoolingMode_t; negative: unknown.
  int rank = 0;
  std::array<std::int64_t, CudnnTensor::kMaxRank> window{}, padding{}, stride{};
};
CudnnPooling read_pooling(CudnnGetters& getters, const void* descriptor);

struct CudnnRnn {
  int mode = -1;  ///< cudnnRNNMode_t; negative: unknown.
  int directions = 1, input = 0, hidden = 0, projected = 0, layers = 0;
  bool skips_input = false;  ///< The first layer has no product with its input.
  std::int64_t type = -1, compute = -1;
};
CudnnRnn read_rnn(CudnnGetters& getters, const void* descriptor);

}  // namespace prof::collectors
