// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file Annotates what a program does, so that a profiler knows which layer and op launched a
/// kernel.
///
///     void Linear::forward(...) {
///       static const prof::OpText text = prof::op("linear").fprop()
///           .in("x", {n, k}, prof::DType::float16)
///           .in("weight", {m, k}, prof::DType::float16)
///           .out("y", {n, m}, prof::DType::float16);
///       prof::Op scope(text);  // until the end of the block
///       launch_gemm(...);
///     }
///
/// RAII scopes (Step, Layer, Op) over ordinary NVTX push/pop in the default domain, so every NVTX
/// tool shows them. Not a profiler: it links nothing and records nothing. Cost: with no tool
/// attached, a scope over a prepared text is a few nanoseconds, allocates nothing and formats
/// nothing; texts are formatted once, when they are built. Threads: a scope belongs to the thread
/// that made it and ends on that thread, innermost first (C++ block scope gives both). One text may
/// be used by any number of threads at once. Errors: scopes never throw. Building a text throws
/// nothing but std::bad_alloc. Language: C++17 or later. Needs the NVTX 3 headers (part of every
/// CUDA toolkit), no library but libdl where dlopen is not in the C library.
#ifndef PROF_ANNOTATE_HPP_
#define PROF_ANNOTATE_HPP_

#include <nvtx3/nvToolsExt.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace prof {

/// Inline, so that users write prof::Op; named, so that this header's types never collide with the
/// tools' types of the same name.
inline namespace annotations {

/// Element types, named as PyTorch names them.
enum class DType : std::uint8_t {
  float16,
  bfloat16,
  float32,
  float64,
  int8,
  uint8,
  int32,
  int64,
  boolean,  ///< printed as "bool", which C++ does not allow as a name
  float8_e4m3fn,
  float8_e5m2,
};

/// The name of a type in an op's text, for example "float16". Static storage.
[[nodiscard]] constexpr std::string_view dtype_name(DType dtype) noexcept {
  switch (dtype) {
    case DType::float16:
      return "float16";
    case DType::bfloat16:
      return "bfloat16";
    case DType::float32:
      return "float32";
    case DType::float64:
      return "float64";
    case DType::int8:
      return "int8";
    case DType::uint8:
      return "uint8";
    case DType::int32:
      return "int32";
    case DType::int64:
      return "int64";
    case DType::boolean:
      return "bool";
    case DType::float8_e4m3fn:
      return "float8_e4m3fn";
    case DType::float8_e5m2:
      return "float8_e5m2";
  }
  return "unknown";
}

/// Which gradient a backward op computes.
enum class Part : std::uint8_t { data, weight, bias };

/// Up to 16 integers: a tensor's shape, outermost dimension first and in elements, or a cache key.
/// Takes any mix of integer types: `{batch, 13}`. `{}` is a scalar.
class Dims {
 public:
  static constexpr std::size_t kMaxRank = 16;

  template <typename... Ints, typename = std::enable_if_t<(std::is_integral_v<Ints> && ...)>>
  constexpr Dims(
      Ints... values) noexcept  // NOLINT(google-explicit-constructor): `{n, k}` reads well
      : values_{static_cast<std::int64_t>(values)...}, rank_(sizeof...(Ints)) {
    static_assert(sizeof...(Ints) <= kMaxRank, "a shape or a key has at most 16 numbers");
  }

  /// The first `rank` of `values`, 16 at most.
  template <typename Int>
  [[nodiscard]] static constexpr Dims from(const Int* values, std::size_t rank) noexcept {
    Dims dims;
    dims.rank_ = rank < kMaxRank ? rank : kMaxRank;
    for (std::size_t i = 0; i < dims.rank_; ++i) {
      dims.values_[i] = static_cast<std::int64_t>(values[i]);
    }
    return dims;
  }

  [[nodiscard]] constexpr std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] constexpr std::int64_t operator[](std::size_t i) const noexcept {
    return values_[i];
  }

  [[nodiscard]] friend constexpr bool operator==(const Dims& a, const Dims& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (std::size_t i = 0; i < a.rank_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }

 private:
  std::array<std::int64_t, kMaxRank> values_;
  std::size_t rank_;
};

namespace detail {

/// Length of the valid UTF-8 sequence at the start of `text`, or 0 if there is none.
inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // The second byte reveals overlong forms, surrogates and code points above U+10FFFF.
  const unsigned char second = byte(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

/// Appends `text` as a JSON string; bytes that are not UTF-8 become U+FFFD.
inline void append_json(std::string& out, std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 0xF];
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

inline void append_json(std::string& out, std::int64_t value) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

/// JSON has no infinities or NaN: they become strings. A whole number keeps its ".0".
inline void append_json(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
    return;
  }
  char buffer[32];  // the shortest form that reads back the same has at most 24 characters
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

/// A range's message and the handle by which the attached tool knows it. Formatted once, pushed
/// many times.
class Text {
 public:
  explicit Text(std::string message) : message_(std::move(message)) {}
  /// Only while no other thread uses `other`; the new object registers itself again.
  Text(Text&& other) noexcept : message_(std::move(other.message_)) {}
  Text& operator=(Text&&) = delete;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;

  /// The exact message that tools see. Valid for this object's lifetime.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

  void push() const noexcept {
    nvtxStringHandle_t handle = handle_.load(std::memory_order_acquire);
    if (handle == nullptr) handle = register_message();
    if (handle == none()) {
      nvtxRangePushA(message_.c_str());
      return;
    }
    nvtxEventAttributes_t event{};
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = handle;
    nvtxDomainRangePushEx(nullptr, &event);
  }

 private:
  /// Means "no tool is listening": no real handle points here.
  static nvtxStringHandle_t none() noexcept {
    return reinterpret_cast<nvtxStringHandle_t>(~std::uintptr_t{0});
  }

  // Two threads may register at once; the tool returns equal or equivalent handles for equal texts.
  nvtxStringHandle_t register_message() const noexcept {
    nvtxStringHandle_t handle = nvtxDomainRegisterStringA(nullptr, message_.c_str());
    if (handle == nullptr) handle = none();
    handle_.store(handle, std::memory_order_release);
    return handle;
  }

  std::string message_;
  mutable std::atomic<nvtxStringHandle_t> handle_{nullptr};
};

}  // namespace detail

class OpText;

/// Builds the description of an op; made by prof::op(). Becomes an OpText by assignment.
class OpBuilder {
 public:
  explicit OpBuilder(std::string_view name) { detail::append_json(name_, name); }

  OpBuilder& fprop() { return direction("fprop"); }    ///< forward
  OpBuilder& bprop() { return direction("bprop"); }    ///< backward, both gradients or unspecified
  OpBuilder& update() { return direction("update"); }  ///< optimizer, unscaling, zeroing

  /// Backward, for one gradient.
  OpBuilder& bprop(Part part) {
    part_ = part == Part::data ? "data" : part == Part::weight ? "weight" : "bias";
    return bprop();
  }

  /// A tensor that the op reads. `name` is what the op calls it, not the program's variable. For
  /// ops over lists of tensors (multi-tensor optimizers), `count` tensors of the same shape and
  /// type share one entry, which keeps the message short.
  OpBuilder& in(std::string_view name, const Dims& shape, DType dtype, std::int64_t count = 1) {
    return tensor(name, "in", shape, dtype, count);
  }

  /// The tensor just added by in() is the same memory as the input `name` before it, as in z·zᵀ: it
  /// is read once.
  OpBuilder& same_as(std::string_view name) {
    if (args_.empty()) return *this;
    args_.pop_back();  // the brace after the last tensor
    args_ += R"(,"same_as":)";
    detail::append_json(args_, name);
    args_ += '}';
    return *this;
  }

  /// A tensor that the op writes. List one that is updated in place under both in and out.
  OpBuilder& out(std::string_view name, const Dims& shape, DType dtype, std::int64_t count = 1) {
    return tensor(name, "out", shape, dtype, count);
  }

  /// Anything else the op's model needs: transposes, epilogue, learning rate. Set each key once.
  /// `value` is bool, an integer, a floating-point number or a string.
  template <typename Value>
  OpBuilder& attr(std::string_view key, const Value& value) {
    if (!attrs_.empty()) attrs_ += ',';
    detail::append_json(attrs_, key);
    attrs_ += ':';
    if constexpr (std::is_same_v<Value, bool>) {
      attrs_ += value ? "true" : "false";
    } else if constexpr (std::is_integral_v<Value>) {
      detail::append_json(attrs_, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<Value>) {
      detail::append_json(attrs_, static_cast<double>(value));
    } else {
      detail::append_json(attrs_, std::string_view(value));
    }
    return *this;
  }

  /// The message: {"v":1,"mod":"prof","op":...,"dir":...,"part":...,"args":[...],"attrs":{...}}.
  /// `dir` and `part` are omitted when not set.
  [[nodiscard]] std::string message() const {
    std::string text = R"({"v":1,"mod":"prof","op":)" + name_;
    if (direction_ != nullptr) text += R"(,"dir":")" + std::string(direction_) + '"';
    if (part_ != nullptr) text += R"(,"part":")" + std::string(part_) + '"';
    return text + R"(,"args":[)" + args_ + R"(],"attrs":{)" + attrs_ + "}}";
  }

 private:
  OpBuilder& direction(const char* word) {
    direction_ = word;
    return *this;
  }

  OpBuilder& tensor(std::string_view name, const char* role, const Dims& shape, DType dtype,
                    std::int64_t count) {
    if (!args_.empty()) args_ += ',';
    args_ += R"({"name":)";
    detail::append_json(args_, name);
    args_ += R"(,"role":")";
    args_ += role;
    args_ += R"(","type":"tensor","shape":[)";
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      if (i > 0) args_ += ',';
      detail::append_json(args_, shape[i]);
    }
    args_ += R"(],"dtype":")";
    args_ += dtype_name(dtype);
    args_ += '"';
    if (count != 1) {
      args_ += R"(,"count":)";
      detail::append_json(args_, count);
    }
    args_ += '}';
    return *this;
  }

  std::string name_;
  std::string args_;
  std::string attrs_;
  const char* direction_ = nullptr;
  const char* part_ = nullptr;
};

/// Starts the description of an op. For the names that the analyzers know, see docs/annotate.md.
[[nodiscard]] inline OpBuilder op(std::string_view name) { return OpBuilder(name); }

/// An op's message for one call site and one set of shapes. Make it once (static, or a member
/// beside the shapes) and use it for every call.
class OpText : public detail::Text {
 public:
  OpText(const OpBuilder& builder)  // NOLINT(google-explicit-constructor): `OpText t = op(...)...`
      : Text(builder.message()) {}
};

/// A layer's message, prepared for reuse.
class LayerText : public detail::Text {
 public:
  explicit LayerText(std::string_view name) : Text("layer:" + std::string(name)) {}
};

/// The OpTexts of one call site whose shapes vary, by shape. Lookup takes no lock and allocates
/// nothing for shapes seen before. Holds at most kMaxEntries texts, so that memory stays bounded
/// even if every call has a new shape; further shapes are formatted at each call. Threads: any
/// number at once. Usually static; a scope must not outlive it.
class OpCache {
 public:
  static constexpr std::size_t kMaxEntries = 4096;

  OpCache() = default;
  OpCache(const OpCache&) = delete;
  OpCache& operator=(const OpCache&) = delete;
  ~OpCache() {
    for (auto& bucket : buckets_) {
      for (Node* node = bucket.load(std::memory_order_acquire); node != nullptr;) {
        delete std::exchange(node, node->next);
      }
    }
  }

  /// The text for `key`, made by `make()` (which returns an OpBuilder) the first time; nullptr if
  /// it is absent and the cache is full. Valid for the cache's lifetime.
  template <typename Make>
  const OpText* find_or_make(const Dims& key, Make&& make) {
    std::atomic<Node*>& bucket = buckets_[hash(key) % kBuckets];
    Node* head = bucket.load(std::memory_order_acquire);
    if (const Node* found = find(head, nullptr, key)) return &found->text;
    if (entries_.load(std::memory_order_relaxed) >= kMaxEntries) return nullptr;
    Node* node = new Node{key, OpText(make()), head};
    while (!bucket.compare_exchange_weak(head, node, std::memory_order_acq_rel)) {
      // Another thread was faster; if it made the same text, use that one.
      if (const Node* found = find(head, node->next, key)) {
        delete node;
        return &found->text;
      }
      node->next = head;
    }
    entries_.fetch_add(1, std::memory_order_relaxed);
    return &node->text;
  }

  /// Number of texts held.
  [[nodiscard]] std::size_t size() const noexcept {
    return entries_.load(std::memory_order_relaxed);
  }

 private:
  struct Node {
    Dims key;
    OpText text;
    Node* next;
  };

  static constexpr std::size_t kBuckets = 64;

  static std::size_t hash(const Dims& key) noexcept {
    std::uint64_t h = key.rank();
    for (std::size_t i = 0; i < key.rank(); ++i) {
      h = (h ^ static_cast<std::uint64_t>(key[i])) * 0x9E3779B97F4A7C15u;
      h ^= h >> 29;
    }
    return static_cast<std::size_t>(h);
  }

  static const Node* find(const Node* from, const Node* until, const Dims& key) noexcept {
    for (; from != until; from = from->next) {
      if (from->key == key) return from;
    }
    return nullptr;
  }

  std::array<std::atomic<Node*>, kBuckets> buckets_{};
  std::atomic<std::size_t> entries_{0};
};

namespace detail {

/// Common to all scopes. The pop is in each scope's own destructor, so that a constructor that
/// throws before its push does not pop another scope's range.
class Scope {
 public:
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 protected:
  Scope() = default;
  ~Scope() = default;
};

}  // namespace detail

/// One op while it launches its kernels; the innermost Op owns them.
class [[nodiscard]] Op : detail::Scope {
 public:
  explicit Op(const OpText& text) noexcept { text.push(); }
  /// Deleted: a temporary would be formatted and registered at every call. Keep the text.
  explicit Op(const OpText&&) = delete;
  ~Op() { nvtxRangePop(); }

  /// For shapes that vary: `prof::Op scope(cache, {n, k}, [&] { return prof::op("relu")...; });`
  /// The key holds everything that the text depends on.
  template <typename Make>
  Op(OpCache& cache, const Dims& key, Make&& make) {
    if (const OpText* text = cache.find_or_make(key, make)) {
      text->push();
    } else {
      nvtxRangePushA(OpBuilder(make()).message().c_str());  // the tool copies it
    }
  }
};

/// A layer; layers inside it become its children ("encoder:attention").
class [[nodiscard]] Layer : detail::Scope {
 public:
  explicit Layer(const LayerText& text) noexcept { text.push(); }
  explicit Layer(const LayerText&&) = delete;
  ~Layer() { nvtxRangePop(); }

  /// The name is composed on the stack and truncated at 250 bytes.
  explicit Layer(std::string_view name) noexcept {
    constexpr std::string_view kPrefix = "layer:";
    char buffer[257];
    const std::size_t length = name.size() < 250 ? name.size() : 250;
    std::memcpy(buffer, kPrefix.data(), kPrefix.size());
    if (length > 0) std::memcpy(buffer + kPrefix.size(), name.data(), length);
    buffer[kPrefix.size() + length] = '\0';
    nvtxRangePushA(buffer);
  }
};

/// One training or inference step, counted by the program.
class [[nodiscard]] Step : detail::Scope {
 public:
  explicit Step(std::int64_t number) noexcept {
    char buffer[32] = "step:";
    *std::to_chars(buffer + 5, buffer + sizeof buffer - 1, number).ptr = '\0';
    nvtxRangePushA(buffer);
  }
  ~Step() { nvtxRangePop(); }
};

}  // namespace annotations
}  // namespace prof

#endif  // PROF_ANNOTATE_HPP_
