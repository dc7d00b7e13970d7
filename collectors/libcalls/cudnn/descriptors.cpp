// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/descriptors.hpp"

#include <algorithm>
#include <cstddef>

namespace prof::collectors {
namespace {

using Sizes = std::array<int, CudnnTensor::kMaxRank>;
/// The library reports no more dimensions of a window.
constexpr int kMaxSpace = CudnnTensor::kMaxRank - 2;

struct CudnnType {
  DataType type;
  std::string_view word;
};

/// Indexed by cudnnDataType_t.
constexpr CudnnType kTypes[] = {
    {DataType::kR32F, "float32"},
    {DataType::kR64F, "float64"},
    {DataType::kR16F, "float16"},
    {DataType{3}, "int8"},
    {DataType{10}, "int32"},
    {DataType::kUnknown, "int8x4"},
    {DataType{8}, "uint8"},
    {DataType::kUnknown, "uint8x4"},
    {DataType::kUnknown, "int8x32"},
    {DataType::kR16BF, "bfloat16"},
    {DataType{24}, "int64"},
    {DataType::kBool, "bool"},
    {DataType{28}, "float8_e4m3fn"},
    {DataType{29}, "float8_e5m2"},
    {DataType::kUnknown, "fast_float_for_fp8"},
    {DataType{30}, "float8_e8m0fnu"},
    {DataType::kUnknown, "float4_e2m1"},
    {DataType::kUnknown, "int4"},
    {DataType::kUnknown, "uint4"},
    {DataType{12}, "uint32"},
    {DataType::kC32F, "complex64"},
    {DataType::kC64F, "complex128"},
};

const CudnnType* known_type(std::int64_t type) {
  return type >= 0 && type < std::ssize(kTypes) ? &kTypes[type] : nullptr;
}

/// A tensor from the values that the library has filled in.
CudnnTensor tensor_of(int type, int rank, const Sizes& sizes, const Sizes* strides) {
  CudnnTensor made;
  if (rank < 1 || rank > CudnnTensor::kMaxRank) return made;
  made.rank = rank;
  made.type = type_of_cudnn(type);
  made.has_strides = strides != nullptr;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    made.sizes[i] = sizes[i];
    if (strides != nullptr) made.strides[i] = (*strides)[i];
  }
  return made;
}

CudnnTensor of_sizes(int type, std::initializer_list<std::int64_t> sizes) {
  CudnnTensor made;
  made.type = type_of_cudnn(type);
  made.rank = static_cast<int>(sizes.size());
  std::ranges::copy(sizes, made.sizes.begin());
  return made;
}

void state_list(CallFacts& facts, std::string_view key, const Sizes& sizes, int count) {
  std::array<std::int64_t, CudnnTensor::kMaxRank> wide{};
  std::copy_n(sizes.begin(), count, wide.begin());
  facts.fact(key, std::span<const std::int64_t>(wide.data(), static_cast<std::size_t>(count)));
}

}  // namespace

DataType type_of_cudnn(std::int64_t type) {
  const CudnnType* const known = known_type(type);
  return known == nullptr ? DataType::kUnknown : known->type;
}

std::string_view word_of_cudnn_type(std::int64_t type) {
  const CudnnType* const known = known_type(type);
  return known == nullptr ? std::string_view() : known->word;
}

void CudnnTensor::write(CallFacts& facts) const {
  if (rank == 0) return facts.unknown();
  const auto count = static_cast<std::size_t>(rank);
  facts.tensor(type, {sizes.data(), count}, has_strides ? strides.data() : nullptr);
}

CudnnTensor read_tensor(CudnnGetters& getters, const void* descriptor) {
  auto* const get = getters.tensor.as<int(const void*, int, int*, int*, int*, int*)>();
  int type = 0, rank = 0;
  Sizes sizes{}, strides{};
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, CudnnTensor::kMaxRank, &type, &rank, sizes.data(), strides.data()) != 0) {
    return {};
  }
  return tensor_of(type, rank, sizes, &strides);
}

CudnnTensor read_filter(CudnnGetters& getters, const void* descriptor) {
  auto* const get = getters.filter.as<int(const void*, int, int*, int*, int*, int*)>();
  int type = 0, format = 0, rank = 0;
  Sizes sizes{};
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, CudnnTensor::kMaxRank, &type, &format, &rank, sizes.data()) != 0) {
    return {};
  }
  return tensor_of(type, rank, sizes, nullptr);
}

CudnnTensor read_rnn_data(CudnnGetters& getters, const void* descriptor) {
  using Get = int(const void*, int*, int*, int*, int*, int*, int, int*, void*);
  auto* const get = getters.rnn_data.as<Get>();
  constexpr int kMaxLengths = 1024;
  std::array<int, kMaxLengths> lengths{};
  std::int64_t fill = 0;
  int type = 0, layout = 0, steps = 0, batch = 0, size = 0;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &type, &layout, &steps, &batch, &size, kMaxLengths, lengths.data(), &fill) !=
          0) {
    return {};
  }
  if (batch < 0 || batch > kMaxLengths) return {};  // Not all lengths are read.
  std::int64_t all = 0;
  for (int i = 0; i < batch; ++i) all += lengths[static_cast<std::size_t>(i)];
  if (all == std::int64_t{steps} * batch) return of_sizes(type, {steps, batch, size});
  return of_sizes(type, {all, size});
}

CudnnTensor read_sequences(CudnnGetters& getters, const void* descriptor) {
  using Get = int(const void*, int*, int*, int, int*, int*, std::size_t*, std::size_t, int*, void*);
  auto* const get = getters.sequences.as<Get>();
  int type = 0, rank = 0;
  std::size_t lengths = 0;
  std::array<int, 4> sizes{}, axes{};
  std::int64_t fill = 0;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &type, &rank, 4, sizes.data(), axes.data(), &lengths, 0, nullptr, &fill) !=
          0) {
    return {};
  }
  // Indexed by cudnnSeqDataAxis_t: time, batch, beam, vector.
  return of_sizes(type, {sizes[1], sizes[2], sizes[0], sizes[3]});
}

void state_convolution(CallFacts& facts, CudnnGetters& getters, const void* descriptor) {
  auto* const get =
      getters.convolution.as<int(const void*, int, int*, int*, int*, int*, int*, int*)>();
  auto* const get_groups = getters.groups.as<int(const void*, int*)>();
  int rank = 0, mode = 0, compute = 0, groups = 0;
  Sizes padding{}, stride{}, dilation{};
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, kMaxSpace, &rank, padding.data(), stride.data(), dilation.data(), &mode,
          &compute) != 0 ||
      rank < 1 || rank > kMaxSpace) {
    return;
  }
  state_list(facts, "padding", padding, rank);
  state_list(facts, "stride", stride, rank);
  state_list(facts, "dilation", dilation, rank);
  if (get_groups != nullptr && get_groups(descriptor, &groups) == 0) {
    facts.fact("groups", std::int64_t{groups});
  }
  facts.fact("compute", word_of_cudnn_type(compute));
  if (mode == 0) facts.fact("filter", "flipped");  // CUDNN_CONVOLUTION
}

void state_attention(CallFacts& facts, CudnnGetters& getters, const void* descriptor) {
  using Get = int(const void*, unsigned*, int*, double*, int*, int*, int*, void**, void**, int*,
                  int*, int*, int*, int*, int*, int*, int*, int*, int*, int*);
  auto* const get = getters.attention.as<Get>();
  unsigned mode = 0;
  int heads = 0, type = 0, compute = 0, math = 0;
  double scale = 0;
  void *dropout = nullptr, *dropout_after = nullptr;
  std::array<int, 11> sizes{};
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &mode, &heads, &scale, &type, &compute, &math, &dropout, &dropout_after,
          &sizes[0], &sizes[1], &sizes[2], &sizes[3], &sizes[4], &sizes[5], &sizes[6], &sizes[7],
          &sizes[8], &sizes[9], &sizes[10]) != 0) {
    return;
  }
  facts.fact("heads", std::int64_t{heads});
  constexpr std::string_view kKeys[] = {"q_projected", "k_projected", "v_projected", "o_projected"};
  for (std::size_t i = 0; i < std::size(kKeys); ++i) {
    facts.fact(kKeys[i], std::int64_t{sizes[3 + i]});
  }
  facts.fact("compute", word_of_cudnn_type(compute));
}

int read_activation(CudnnGetters& getters, const void* descriptor) {
  auto* const get = getters.activation.as<int(const void*, int*, int*, double*)>();
  int mode = 0, nan = 0;
  double bound = 0;
  const bool is_read =
      get != nullptr && descriptor != nullptr && get(descriptor, &mode, &nan, &bound) == 0;
  return is_read ? mode : -1;
}

int read_reduction(CudnnGetters& getters, const void* descriptor) {
  auto* const get = getters.reduction.as<int(const void*, int*, int*, int*, int*, int*)>();
  int op = 0, compute = 0, nan = 0, indices = 0, index_type = 0;
  const bool is_read = get != nullptr && descriptor != nullptr &&
                       get(descriptor, &op, &compute, &nan, &indices, &index_type) == 0;
  return is_read ? op : -1;
}

int read_elementwise(CudnnGetters& getters, const void* descriptor) {
  auto* const get = getters.elementwise.as<int(const void*, int*, int*, int*)>();
  int op = 0, compute = 0, nan = 0;
  const bool is_read =
      get != nullptr && descriptor != nullptr && get(descriptor, &op, &compute, &nan) == 0;
  return is_read ? op : -1;
}

CudnnPooling read_pooling(CudnnGetters& getters, const void* descriptor) {
  auto* const get = getters.pooling.as<int(const void*, int, int*, int*, int*, int*, int*, int*)>();
  CudnnPooling made;
  int mode = 0, nan = 0, rank = 0;
  Sizes window{}, padding{}, stride{};
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, kMaxSpace, &mode, &nan, &rank, window.data(), padding.data(),
          stride.data()) != 0 ||
      rank < 1 || rank > kMaxSpace) {
    return made;
  }
  made.mode = mode;
  made.rank = rank;
  std::ranges::copy(window, made.window.begin());
  std::ranges::copy(padding, made.padding.begin());
  std::ranges::copy(stride, made.stride.begin());
  return made;
}

CudnnRnn read_rnn(CudnnGetters& getters, const void* descriptor) {
  using Get = int(const void*, int*, int*, int*, int*, int*, int*, int*, int*, int*, int*, int*,
                  int*, void**, unsigned*);
  auto* const get = getters.rnn.as<Get>();
  CudnnRnn made;
  int algorithm = 0, mode = 0, bias = 0, direction = 0, input = 0, type = 0, compute = 0, math = 0;
  void* dropout = nullptr;
  unsigned flags = 0;
  if (get == nullptr || descriptor == nullptr ||
      get(descriptor, &algorithm, &mode, &bias, &direction, &input, &type, &compute, &math,
          &made.input, &made.hidden, &made.projected, &made.layers, &dropout, &flags) != 0) {
    return {};
  }
  made.mode = mode;
  made.directions = direction == 1 ? 2 : 1;
  made.skips_input = input == 1;
  made.type = type;
  made.compute = compute;
  return made;
}

}  // namespace prof::collectors
