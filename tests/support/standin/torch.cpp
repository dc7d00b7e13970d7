// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "torch.hpp"

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "torch_c10.hpp"

#define EXPORT __attribute__((visibility("default")))

namespace standin::torch {

/// std::unique_ptr<at::ObserverContext>, as far as it is returned in memory.
struct Context {
  void* held;
  ~Context() {}  // NOLINT(modernize-use-equals-default): it must not be trivial.
};

}  // namespace standin::torch

namespace {

using standin::torch::Context;
using standin::torch::Kind;
using standin::torch::Op;
using standin::torch::Value;

struct OtherImpl final : c10::TensorImpl {};

struct List {
  virtual ~List() = default;
  std::uint64_t references = 1;
  std::vector<Value> values;
};

bool is(const char* word) {
  const char* const which = std::getenv("STANDIN_TORCH");
  return which != nullptr && std::strcmp(which, word) == 0;
}

/// at::RecordFunction: members at their places, and behind them what only functions tell.
struct RecordFunction {
  alignas(8) std::byte members[512];
  const char* name;
  bool is_async;
  std::size_t inputs;
  std::vector<Value> values;

  template <typename Member>
  void put(std::size_t at, Member value) {
    std::memcpy(members + at, &value, sizeof value);
  }
};

struct Registered {
  Context (*start)(const void* function) = nullptr;
  void (*end)(const void* function, void* context) = nullptr;
  bool needs_inputs = false;
  std::atomic<bool> is_enabled{false};
};
Registered g_callbacks[2];
std::size_t g_registered = 0;
constexpr std::uint64_t kFirstHandle = 41;

std::atomic<std::uint64_t> g_threads{0};
thread_local std::uint64_t t_thread = 0;

std::uint64_t thread_number() {
  if (t_thread == 0) t_thread = ++g_threads;
  return t_thread;
}

void* begin(const Op& op) {
  auto* const made = new RecordFunction{};
  const std::size_t early = is("old") ? 24 : is("other") ? 32 : 0;
  made->name = op.name;
  made->is_async = op.is_async;
  made->values = op.inputs;
  std::uint8_t started = 0;  // A bit for each callback.
  for (std::size_t i = 0; i < std::size(g_callbacks); ++i) {
    if (!g_callbacks[i].is_enabled.load()) continue;
    started |= static_cast<std::uint8_t>(1U << i);
    if (g_callbacks[i].needs_inputs) made->inputs = op.inputs.size();
  }
  made->put(96, op.scope);
  made->put(200 - early, op.sequence);
  made->put(208 - early, std::bit_cast<std::uint64_t>(made->values.data()));
  made->put(216 - early, made->inputs);
  made->put(304 - early, op.forward_thread);
  made->put(0, started);
  for (std::size_t i = 0; i < std::size(g_callbacks); ++i) {
    if ((started & (1U << i)) == 0) continue;
    const Context context = g_callbacks[i].start(made);
    if (context.held != nullptr) std::abort();  // Real ones are deleted by torch.
  }
  return made;
}

void end(void* function) {
  auto* const ended = static_cast<RecordFunction*>(function);
  std::uint8_t started = 0;
  std::memcpy(&started, ended->members, sizeof started);
  for (std::size_t i = 0; i < std::size(g_callbacks); ++i) {
    if ((started & (1U << i)) != 0) g_callbacks[i].end(ended, nullptr);
  }
  delete ended;
}

Value tensor(Kind kind, std::int32_t dtype, std::vector<std::int64_t> sizes,
             std::vector<std::int64_t> strides) {
  auto* const made = kind == Kind::kUndefined ? new OtherImpl : new c10::TensorImpl;
  made->kind = kind;
  made->dtype = dtype;
  made->sizes = std::move(sizes);
  made->strides = std::move(strides);
  return {{.object = made}, standin::torch::kTensor};
}

Value list(std::vector<Value> elements) {
  auto* const made = new List;
  made->values = std::move(elements);
  return {{.object = made}, standin::torch::kList};
}

Value string() { return {{.object = nullptr}, standin::torch::kString}; }

c10::TensorImpl& impl_of(const Value* tensor) {
  return *static_cast<c10::TensorImpl*>(tensor->object);
}

/// What real accessors do to tensors that they do not suit ends in Python or in a line on stderr.
c10::TensorImpl& readable(const Value* tensor) {
  c10::TensorImpl& impl = impl_of(tensor);
  if (impl.kind == Kind::kSubclass || impl.kind == Kind::kUndefined || impl.kind == Kind::kMeta) {
    std::fputs("stand-in torch: a tensor is read that must not be\n", stderr);
    std::abort();
  }
  return impl;
}

}  // namespace

// Names as torch has them.
// NOLINTBEGIN(readability-identifier-naming)
namespace at {

struct Tensor;

struct RecordFunctionCallback {
  Context (*start)(const void* function);
  void (*end)(const void* function, void* context);
  double sampling_probability;
  bool scopes[10];
  bool needs_inputs, needs_outputs, needs_ids;
};

EXPORT std::uint64_t addGlobalCallback(RecordFunctionCallback callback) {
  if (callback.sampling_probability != 1 || callback.needs_outputs || callback.needs_ids) abort();
  if (g_registered == std::size(g_callbacks)) abort();
  Registered& registered = g_callbacks[g_registered];
  registered.start = callback.start;
  registered.end = callback.end;
  registered.needs_inputs = callback.needs_inputs;
  registered.is_enabled.store(true);
  return kFirstHandle + g_registered++;
}
EXPORT void disableCallback(std::uint64_t handle) {
  g_callbacks[handle - kFirstHandle].is_enabled.store(false);
}
EXPORT void reenableCallback(std::uint64_t handle) {
  g_callbacks[handle - kFirstHandle].is_enabled.store(true);
}

struct EXPORT RecordFunction {
  [[nodiscard]] const char* name() const;
  [[nodiscard]] bool isAsync() const;
  [[nodiscard]] std::size_t num_inputs() const;
  static std::uint64_t currentThreadId();
};
const char* RecordFunction::name() const {
  return reinterpret_cast<const ::RecordFunction*>(this)->name;
}
bool RecordFunction::isAsync() const {
  return reinterpret_cast<const ::RecordFunction*>(this)->is_async;
}
std::size_t RecordFunction::num_inputs() const {
  return reinterpret_cast<const ::RecordFunction*>(this)->inputs;
}
std::uint64_t RecordFunction::currentThreadId() { return thread_number(); }

namespace impl {
EXPORT bool tensor_has_dispatch(const Tensor& tensor) {
  return impl_of(reinterpret_cast<const Value*>(&tensor)).kind == Kind::kSubclass;
}
}  // namespace impl

}  // namespace at
// NOLINTEND(readability-identifier-naming)

extern "C" {

EXPORT std::int32_t aoti_torch_device_type_meta() { return 14; }
EXPORT std::int32_t aoti_torch_get_dim(const Value* tensor, std::int64_t* dimensions) {
  *dimensions = static_cast<std::int64_t>(readable(tensor).sizes.size());
  return 0;
}
EXPORT std::int32_t aoti_torch_get_sizes(const Value* tensor, std::int64_t** sizes) {
  *sizes = readable(tensor).sizes.data();
  return 0;
}
EXPORT std::int32_t aoti_torch_get_strides(const Value* tensor, std::int64_t** strides) {
  if (readable(tensor).kind == Kind::kSparse) std::abort();
  *strides = readable(tensor).strides.data();
  return 0;
}
EXPORT std::int32_t aoti_torch_get_dtype(const Value* tensor, std::int32_t* dtype) {
  *dtype = readable(tensor).dtype;
  return 0;
}
EXPORT std::int32_t aoti_torch_get_device_type(const Value* tensor, std::int32_t* type) {
  *type = impl_of(tensor).kind == Kind::kMeta ? aoti_torch_device_type_meta() : 1;
  return 0;
}
EXPORT std::int32_t aoti_torch_get_layout(const Value* tensor, std::int32_t* layout) {
  *layout = readable(tensor).kind == Kind::kSparse ? 1 : 0;
  return 0;
}
EXPORT std::int32_t aoti_torch_layout_strided() { return 0; }
EXPORT std::int32_t aoti_torch_dtype_float32() { return standin::torch::kFloat32; }
EXPORT std::int32_t aoti_torch_dtype_float64() { return standin::torch::kFloat64; }
EXPORT std::int32_t aoti_torch_dtype_int64() { return standin::torch::kInt64; }

EXPORT const standin::torch::Api* standin_torch_api() {
  static const standin::torch::Api api{begin, end, tensor, list, string};
  return &api;
}

}  // extern "C"
