// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// This library's knowledge of PyTorch's binary interface, which has no stability guarantee: symbols
// of libtorch_cpu.so and libc10.so, and the offsets of the members of at::RecordFunction,
// c10::IValue and c10::detail::ListImpl that no function returns. Read in the headers of PyTorch
// 2.11 (ATen/record_function.h, ATen/core/ivalue.h, ATen/core/List.h). Nothing here is trusted
// before a known op has been read through it (probe.hpp).
//
// Tensors are read only through functions: the address of an IValue that is a tensor is that of an
// at::Tensor, and thus an AtenTensorHandle (torch/csrc/inductor/aoti_torch/c/shim.h). A tensor's
// class decides whether it may be read, since these functions may log, throw inside or enter Python
// for others: only a c10::TensorImpl itself, as its virtual table shows, without a dispatch to
// Python, is read. Undefined, nested, sparse, quantized and wrapped tensors have other classes.
// Tensors of the meta device, with which compilers trace, may have symbols for sizes: they are not
// read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "collectors/ops/op_arguments.hpp"

namespace prof::collectors::torch_abi {

/// at::RecordFunctionCallback. Returned contexts are std::unique_ptr, here always empty: a class
/// with a destructor, so that it is returned in memory.
struct Context {
  void* none = nullptr;
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {}  // NOLINT(modernize-use-equals-default): it must not be trivial.
};
struct Callback {
  Context (*start)(const void* function);
  void (*end)(const void* function, void* context);
  double sampling_probability;
  bool scopes[10];
  bool needs_inputs, needs_outputs, needs_ids;
};
static_assert(sizeof(Callback) == 40 && offsetof(Callback, needs_inputs) == 34);

enum class Scope : std::uint8_t { kFunction = 0, kBackward = 1, kUser = 7 };

/// Offsets in at::RecordFunction.
struct Layout {
  std::size_t sequence;
  std::size_t inputs;  ///< Address of the first input, then their number.
  std::size_t forward_thread;
};
inline constexpr std::size_t kScopeAt = 96;
/// The layout with std::string of C++11, and the one with the earlier std::string, which wheels had
/// up to 2.6.
inline constexpr Layout kLayouts[] = {{200, 208, 304}, {176, 184, 280}};

struct IValue {
  union {
    std::int64_t integer;
    double real;
    bool boolean;
    const void* object;
  };
  std::uint32_t tag;
};
static_assert(sizeof(IValue) == 16);
/// Tags that have been the same in all releases, and those that are learned from a known op.
inline constexpr std::uint32_t kNone = 0, kTensor = 1, kDouble = 3, kInt = 5;
struct LearnedTags {
  std::uint32_t boolean = 0, list = 0;
};

/// c10::detail::ListImpl: an intrusive_ptr_target, which is a virtual table and a counter, and a
/// std::vector<IValue>.
struct List {
  const void* table;
  std::uint64_t references;
  const IValue* begin;
  const IValue* end;
};

// X(member, name)
// clang-format off
#define PROF_TORCH_FUNCTIONS(X)                                                                 \
  X(add_callback,      _ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE)                  \
  X(disable_callback,  _ZN2at15disableCallbackEm)                                               \
  X(enable_callback,   _ZN2at16reenableCallbackEm)                                              \
  X(name,              _ZNK2at14RecordFunction4nameEv)                                          \
  X(is_async,          _ZNK2at14RecordFunction7isAsyncEv)                                       \
  X(count_inputs,      _ZNK2at14RecordFunction10num_inputsEv)                                   \
  X(current_thread,    _ZN2at14RecordFunction15currentThreadIdEv)                               \
  X(has_dispatch,      _ZN2at4impl19tensor_has_dispatchERKNS_6TensorE)                          \
  X(get_device_type,   aoti_torch_get_device_type)                                              \
  X(meta_device,       aoti_torch_device_type_meta)                                             \
  X(get_dim,           aoti_torch_get_dim)                                                      \
  X(get_sizes,         aoti_torch_get_sizes)                                                    \
  X(get_strides,       aoti_torch_get_strides)                                                  \
  X(get_dtype,         aoti_torch_get_dtype)                                                    \
  X(get_layout,        aoti_torch_get_layout)                                                   \
  X(layout_strided,    aoti_torch_layout_strided)
// clang-format on

struct Functions {
  std::uint64_t (*add_callback)(Callback callback) = nullptr;
  void (*disable_callback)(std::uint64_t handle) = nullptr;
  void (*enable_callback)(std::uint64_t handle) = nullptr;
  const char* (*name)(const void* function) = nullptr;
  bool (*is_async)(const void* function) = nullptr;
  std::size_t (*count_inputs)(const void* function) = nullptr;
  std::uint64_t (*current_thread)() = nullptr;
  bool (*has_dispatch)(const IValue* tensor) = nullptr;
  std::int32_t (*get_device_type)(const IValue* tensor, std::int32_t* type) = nullptr;
  std::int32_t (*meta_device)() = nullptr;
  std::int32_t (*get_dim)(const IValue* tensor, std::int64_t* dimensions) = nullptr;
  std::int32_t (*get_sizes)(const IValue* tensor, std::int64_t** sizes) = nullptr;
  std::int32_t (*get_strides)(const IValue* tensor, std::int64_t** strides) = nullptr;
  std::int32_t (*get_dtype)(const IValue* tensor, std::int32_t* dtype) = nullptr;
  std::int32_t (*get_layout)(const IValue* tensor, std::int32_t* layout) = nullptr;
  std::int32_t (*layout_strided)() = nullptr;
};

class Torch {
 public:
  /// Loads the symbols of the PyTorch in the process. Returns "" on success, else what is missing.
  std::string load();

  [[nodiscard]] const Functions& functions() const { return functions_; }
  void set_layout(const Layout& layout) { layout_ = layout; }
  /// Learns the tags from the inputs of aten::sum(x, [0, 1], True, dtype=None).
  void learn_tags(std::string_view name, const void* function);
  /// Whether there are as many inputs as torch states.
  [[nodiscard]] bool has_sound_inputs(const void* function) const {
    return number_of_inputs(function) == functions_.count_inputs(function);
  }

  [[nodiscard]] Scope scope(const void* function) const { return read<Scope>(function, kScopeAt); }
  [[nodiscard]] std::int64_t sequence(const void* function) const {
    return read<std::int64_t>(function, layout_.sequence);
  }
  [[nodiscard]] std::uint64_t forward_thread(const void* function) const {
    return read<std::uint64_t>(function, layout_.forward_thread);
  }
  [[nodiscard]] const IValue* inputs(const void* function) const {
    return reinterpret_cast<const IValue*>(read<std::uintptr_t>(function, layout_.inputs));
  }
  [[nodiscard]] std::size_t number_of_inputs(const void* function) const {
    return read<std::size_t>(function, layout_.inputs + sizeof(std::uintptr_t));
  }

  /// Writes the inputs of an op that begins. False: some did not fit, and are unknown.
  bool write_inputs(const void* function, ArgumentWriter& to) const;

 private:
  template <typename Value>
  static Value read(const void* base, std::size_t at) {
    Value value;
    std::memcpy(&value, static_cast<const std::byte*>(base) + at, sizeof value);
    return value;
  }
  void write(const IValue& value, ArgumentWriter& to) const;
  void write_tensor(const IValue& tensor, ArgumentWriter& to) const;
  void write_list(const IValue& list, ArgumentWriter& to) const;

  Functions functions_;
  Layout layout_{};
  LearnedTags tags_;
  std::int32_t strided_ = 0, meta_ = 0;
  const void* plain_tensor_ = nullptr;  ///< The virtual table of c10::TensorImpl.
  std::uint8_t dtypes_[256];            ///< libprof's dtypes, by torch's.
};

}  // namespace prof::collectors::torch_abi
