// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/torch/torch_abi.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <iterator>

namespace prof::collectors::torch_abi {
namespace {

/// Maximum length of lists; longer ones are unknown.
constexpr std::size_t kMaxElements = 4096;

/// An object begins with the address of its class's first virtual function.
constexpr std::size_t kTableHead = 2 * sizeof(void*);

void* loaded(const char* library) { return dlopen(library, RTLD_NOW | RTLD_NOLOAD); }

}  // namespace

std::string Torch::load() {
  void* const torch = loaded("libtorch_cpu.so");
  void* const c10 = loaded("libc10.so");
  if (torch == nullptr || c10 == nullptr) return "libtorch_cpu.so is not in the process";
  const char* missing = nullptr;
#define PROF_TORCH_LOAD(member, name)                                                     \
  functions_.member = reinterpret_cast<decltype(functions_.member)>(dlsym(torch, #name)); \
  if (functions_.member == nullptr) missing = #name;
  PROF_TORCH_FUNCTIONS(PROF_TORCH_LOAD)
#undef PROF_TORCH_LOAD
  const auto* const table = static_cast<const std::byte*>(dlsym(c10, "_ZTVN3c1010TensorImplE"));
  if (table == nullptr) missing = "vtable of c10::TensorImpl";
  if (missing != nullptr) return std::string("this PyTorch has no ") + missing;
  plain_tensor_ = table + kTableHead;
  strided_ = functions_.layout_strided();
  meta_ = functions_.meta_device();
  std::ranges::fill(dtypes_, kUnknownDtype);
  std::uint8_t ours = 0;
#define PROF_TORCH_LOAD_DTYPE(name)                                                      \
  if (const auto code =                                                                  \
          reinterpret_cast<std::int32_t (*)()>(dlsym(torch, "aoti_torch_dtype_" #name)); \
      code != nullptr) {                                                                 \
    const std::int32_t number = code();                                                  \
    if (number >= 0 && number < static_cast<std::int32_t>(std::size(dtypes_)))           \
      dtypes_[number] = ours;                                                            \
  }                                                                                      \
  ++ours;
  PROF_DTYPES(PROF_TORCH_LOAD_DTYPE)
#undef PROF_TORCH_LOAD_DTYPE
  return {};
}

void Torch::learn_tags(std::string_view name, const void* function) {
  if (name != "aten::sum" || number_of_inputs(function) != 4 || !has_sound_inputs(function)) return;
  const IValue* const values = inputs(function);
  if (values[1].tag <= kInt || values[2].tag <= kInt || values[1].tag == values[2].tag) return;
  tags_ = {.boolean = values[2].tag, .list = values[1].tag};
}

bool Torch::write_inputs(const void* function, ArgumentWriter& to) const {
  const IValue* const first = inputs(function);
  const std::size_t count = number_of_inputs(function);
  bool is_whole = true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = to.size();
    write(first[i], to);
    if (!to.is_cut()) continue;
    is_whole = false;
    to.rewind(before);
    to.unknown();
  }
  return is_whole;
}

void Torch::write(const IValue& value, ArgumentWriter& to) const {
  switch (value.tag) {
    case kNone:
      return to.none();
    case kTensor:
      return write_tensor(value, to);
    case kDouble:
      return to.real(value.real);
    case kInt:
      return to.integer(value.integer);
    default:
      break;
  }
  if (value.tag == tags_.boolean) return to.boolean(value.boolean);
  if (value.tag == tags_.list) return write_list(value, to);
  to.unknown();
}

void Torch::write_tensor(const IValue& tensor, ArgumentWriter& to) const {
  const void* table = nullptr;
  if (tensor.object != nullptr) std::memcpy(&table, tensor.object, sizeof table);
  std::int64_t dimensions = 0;
  std::int64_t *sizes = nullptr, *strides = nullptr;
  std::int32_t dtype = 0, layout = 0, device = 0;
  if (table != plain_tensor_ || functions_.has_dispatch(&tensor) ||
      functions_.get_device_type(&tensor, &device) != 0 || device == meta_ ||
      functions_.get_layout(&tensor, &layout) != 0 || layout != strided_ ||
      functions_.get_dim(&tensor, &dimensions) != 0 || dimensions < 0 || dimensions > 64 ||
      functions_.get_sizes(&tensor, &sizes) != 0 ||
      functions_.get_strides(&tensor, &strides) != 0 ||
      functions_.get_dtype(&tensor, &dtype) != 0) {
    return to.unknown();
  }
  const bool is_known = dtype >= 0 && dtype < static_cast<std::int32_t>(std::size(dtypes_));
  to.tensor(is_known ? dtypes_[dtype] : kUnknownDtype, sizes, strides,
            static_cast<std::uint32_t>(dimensions));
}

void Torch::write_list(const IValue& value, ArgumentWriter& to) const {
  if (value.object == nullptr) return to.unknown();
  List list{};
  std::memcpy(&list, value.object, sizeof list);
  const auto count = static_cast<std::size_t>(list.end - list.begin);
  if (list.end < list.begin || count > kMaxElements) return to.unknown();
  to.list(static_cast<std::uint32_t>(count));
  for (std::size_t i = 0; i < count; ++i) write(list.begin[i], to);
}

}  // namespace prof::collectors::torch_abi
