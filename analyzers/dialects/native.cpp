// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The native dialect, which prof/annotate.hpp and prof_torch write: `layer:NAME`, and ops, op
// attributes or calls of modules as JSON objects of version 1 (docs/dialects.md). Strict: an object
// that claims to be ours but has a wrong type, a missing key or another version is a plain range
// with a problem, never an error. Their `step:N` is read with all other steps (plain.cpp).
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzers/dialects/framework_op.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/dialects/words.hpp"
#include "analyzers/ops/triton_kernels.hpp"

namespace prof::dialects {
namespace {

using NativeJson = nlohmann::json;

constexpr std::size_t kMaxTensors = 65'536;  // per op, repeated tensors included

/// The string at `key`, or null if it is missing or not a string.
const std::string* text_at(const NativeJson& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? nullptr : it->get_ptr<const std::string*>();
}

/// Reads one object; every read_* returns what is wrong, or null.
class OpReader {
 public:
  /// The meaning of an object that was read without a problem.
  [[nodiscard]] Meaning meaning() const {
    auto op = std::make_shared<const OpDesc>(op_);
    switch (kind_) {
      case Kind::kAttributes:
        return OpAttributes{std::move(op)};
      case Kind::kCall:
        return ModuleCall{std::move(op)};
      case Kind::kUnmarked:
        return Unmarked{};
      case Kind::kClosure:
        return OptimizerClosure{op_.op};
      case Kind::kGraph:
        return graph_;
      case Kind::kLaunch:
        return framework_op(op_, false);
      case Kind::kOp:
        break;
    }
    return StatedOp{std::move(op), is_whole_};
  }

  const char* read_op(const NativeJson& root) {
    if (!root.is_object()) return "not a JSON object";
    const auto version = root.find("v");
    if (version == root.end() || !version->is_number_integer()) return "\"v\" is not an integer";
    if (*version != 1) return "\"v\" is not 1: written by a newer version of libprof";
    const std::string* module = text_at(root, "mod");
    if (module == nullptr || *module != "prof") return "\"mod\" is not \"prof\"";
    op_.module = *module;
    if (root.contains("attrs_of")) {
      const std::string* others = text_at(root, "attrs_of");
      if (others == nullptr || others->empty()) return "\"attrs_of\" names no ops";
      if (root.contains("op")) return "both \"op\" and \"attrs_of\"";
      kind_ = Kind::kAttributes;
      op_.op = *others;
      if (const char* problem = read_direction(root)) return problem;
      return read_attrs(root);
    }
    if (root.contains("call")) return read_call(root);
    if (root.contains("marked")) return read_marked(root);
    if (root.contains("closure_of")) return read_closure(root);
    if (root.contains("graph")) return read_graph(root);
    if (root.contains("launch")) return read_launch(root);
    if (!root.contains("op") && root.contains("dir")) {
      kind_ = Kind::kAttributes;
      return read_direction(root);
    }
    const std::string* op = text_at(root, "op");
    if (op == nullptr || op->empty()) return "\"op\" is not a name";
    op_.op = *op;
    if (const char* problem = read_direction(root)) return problem;
    if (const char* problem = read_args(root)) return problem;
    if (root.contains("whole")) {
      if (!root.at("whole").is_boolean()) return "\"whole\" is not a bool";
      is_whole_ = root.at("whole").get<bool>();
    }
    return read_attrs(root);
  }

 private:
  enum class Kind : std::uint8_t { kOp, kAttributes, kCall, kUnmarked, kClosure, kGraph, kLaunch };

  const char* read_call(const NativeJson& root) {
    const std::string* called = text_at(root, "call");
    if (called == nullptr || called->empty()) return "\"call\" names no class";
    if (root.contains("op")) return "both \"op\" and \"call\"";
    kind_ = Kind::kCall;
    op_.op = *called;
    return read_args(root);
  }

  const char* read_marked(const NativeJson& root) {
    if (root.at("marked") != false) return "\"marked\" is not false";
    kind_ = Kind::kUnmarked;
    return nullptr;
  }

  const char* read_closure(const NativeJson& root) {
    const std::string* optimizer = text_at(root, "closure_of");
    if (optimizer == nullptr || optimizer->empty()) return "\"closure_of\" names no optimizer";
    if (root.contains("op")) return "both \"op\" and \"closure_of\"";
    kind_ = Kind::kClosure;
    op_.op = *optimizer;
    return nullptr;
  }

  const char* read_graph(const NativeJson& root) {
    const std::string* key = text_at(root, "graph");
    if (key == nullptr || key->empty()) return "\"graph\" is not a key";
    if (root.contains("op")) return "both \"op\" and \"graph\"";
    if (root.contains("source")) {
      const std::string* source = text_at(root, "source");
      if (source == nullptr) return "\"source\" is not a name";
      graph_.source = *source;
    }
    if (const char* problem = read_direction(root)) return problem;
    if (const auto sizes = root.find("sizes"); sizes != root.end()) {
      if (!sizes->is_object()) return "\"sizes\" is not an object";
      for (const auto& [symbol, value] : sizes->items()) {
        if (!value.is_number_integer()) return "a size is not a whole number";
        graph_.sizes[symbol] = value.get<std::int64_t>();
      }
    }
    kind_ = Kind::kGraph;
    graph_.key = *key;
    graph_.direction = op_.direction;
    return nullptr;
  }

  const char* read_launch(const NativeJson& root) {
    const std::string* kernel = text_at(root, "launch");
    if (kernel == nullptr || kernel->empty()) return "\"launch\" names no kernel";
    if (root.contains("op")) return "both \"op\" and \"launch\"";
    kind_ = Kind::kLaunch;
    op_.module = "triton";
    op_.op = std::string(ops::kTritonNamespace) + *kernel;
    return read_args(root);
  }

  const char* read_direction(const NativeJson& root) {
    if (root.contains("dir")) {
      const std::string* word = text_at(root, "dir");
      if (word == nullptr) return "\"dir\" is not a word";
      if (*word == "fprop") {
        op_.direction = Direction::kFprop;
      } else if (*word == "bprop") {
        op_.direction = Direction::kBprop;
      } else if (*word == "update") {
        op_.direction = Direction::kUpdate;
      } else {
        return "\"dir\" is not fprop, bprop or update";
      }
    }
    if (root.contains("part")) {
      const std::string* word = text_at(root, "part");
      if (word == nullptr) return "\"part\" is not a word";
      const auto part = parse_part(*word);
      if (!part) return "\"part\" is not data, weight or bias";
      op_.part = *part;
    }
    return nullptr;
  }

  const char* read_args(const NativeJson& root) {
    const auto args = root.find("args");
    if (args == root.end()) return nullptr;
    if (!args->is_array()) return "\"args\" is not an array";
    if (args->size() > kMaxTensors) return "an op has more than 65536 tensors";
    op_.tensors.reserve(args->size());
    for (const NativeJson& arg : *args) {
      if (!arg.is_object()) return "an argument is not an object";
      if (const char* problem = read_tensor(arg)) return problem;
    }
    return nullptr;
  }

  const char* read_tensor(const NativeJson& arg) {
    Tensor tensor;
    const std::string* type = text_at(arg, "type");
    if (type == nullptr || *type != "tensor") return "an argument's \"type\" is not \"tensor\"";
    const std::string* name = text_at(arg, "name");
    if (name == nullptr) return "an argument has no \"name\"";
    tensor.name = *name;
    const std::string* role = text_at(arg, "role");
    if (role == nullptr) return "an argument has no \"role\"";
    if (*role == "in") {
      tensor.role = Tensor::Role::kIn;
    } else if (*role == "out") {
      tensor.role = Tensor::Role::kOut;
    } else if (*role == "inout") {
      tensor.role = Tensor::Role::kInOut;
    } else {
      return "an argument's \"role\" is not in, out or inout";
    }
    const std::string* dtype = text_at(arg, "dtype");
    if (dtype == nullptr) return "an argument has no \"dtype\"";
    tensor.dtype = parse_dtype(*dtype);
    const auto shape = arg.find("shape");
    if (shape == arg.end() || !shape->is_array()) return "an argument's \"shape\" is not an array";
    if (shape->size() > kMaxRank) return "an argument has more than 64 dimensions";
    tensor.shape.reserve(shape->size());
    for (const NativeJson& size : *shape) {
      if (!size.is_number_unsigned()) return "a dimension is not a whole number";
      const auto value = size.get<std::uint64_t>();
      if (value > INT64_MAX) return "a dimension is too large";
      tensor.shape.push_back(static_cast<std::int64_t>(value));
    }
    if (const char* problem = read_same_as(arg, tensor)) return problem;
    return add_copies(arg, tensor);
  }

  /// `same_as` names an operand before it that is the same tensor, or a view of all of it.
  const char* read_same_as(const NativeJson& arg, Tensor& tensor) const {
    const auto same = arg.find("same_as");
    if (same == arg.end()) return nullptr;
    const auto is_it = [&](const Tensor& other) {
      return *same == other.name && other.role == Tensor::Role::kIn &&
             other.dtype == tensor.dtype &&
             element_count(other.shape) == element_count(tensor.shape);
    };
    if (tensor.role != Tensor::Role::kIn || std::ranges::none_of(op_.tensors, is_it)) {
      return "a \"same_as\" names no input of that type and size before it";
    }
    tensor.is_repeated = true;
    return nullptr;
  }

  /// `count` is the number of tensors with that shape and type.
  const char* add_copies(const NativeJson& arg, const Tensor& tensor) {
    std::uint64_t count = 1;
    if (const auto it = arg.find("count"); it != arg.end()) {
      if (!it->is_number_unsigned()) return "a \"count\" is not a whole number";
      count = it->get<std::uint64_t>();
    }
    if (count > kMaxTensors - op_.tensors.size()) return "an op has more than 65536 tensors";
    op_.tensors.insert(op_.tensors.end(), static_cast<std::size_t>(count), tensor);
    return nullptr;
  }

  const char* read_attrs(const NativeJson& root) {
    const auto attrs = root.find("attrs");
    if (attrs == root.end()) return nullptr;
    if (!attrs->is_object()) return "\"attrs\" is not an object";
    for (const auto& [key, value] : attrs->items()) {
      if (value.is_boolean()) {
        op_.attrs.emplace(key, value.get<bool>());
      } else if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
        op_.attrs.emplace(key, value.get<double>());
      } else if (value.is_number_integer()) {
        op_.attrs.emplace(key, value.get<std::int64_t>());
      } else if (value.is_number_float()) {
        op_.attrs.emplace(key, value.get<double>());
      } else if (value.is_string()) {
        op_.attrs.emplace(key, value.get<std::string>());
      } else {
        return "an attribute is not a bool, number or string";
      }
    }
    return nullptr;
  }

  OpDesc op_;
  CompiledGraph graph_;
  bool is_whole_ = false;
  Kind kind_ = Kind::kOp;
};

/// True for text meant as a native op, even if truncated or otherwise malformed.
bool claims_to_be_op(std::string_view text) {
  return text.starts_with('{') && text.find("\"mod\"") != std::string_view::npos &&
         text.find("\"prof\"") != std::string_view::npos;
}

class Native final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "native"; }

  [[nodiscard]] std::optional<RangeMeaning> parse(const RangeText& range) const override {
    if (!range.default_domain) return std::nullopt;
    RangeMeaning meaning;
    constexpr std::string_view kLayer = "layer:";
    if (range.text.starts_with(kLayer) && range.text.size() > kLayer.size()) {
      meaning.what = LayerName{std::string(range.text.substr(kLayer.size()))};
      return meaning;
    }
    if (number_after(range.text, "call:")) {
      meaning.what = ModelCall{};
      meaning.cacheable = false;
      return meaning;
    }
    if (!claims_to_be_op(range.text)) return std::nullopt;
    read_op(range.text, meaning);
    return meaning;
  }

 private:
  static void read_op(std::string_view text, RangeMeaning& meaning) {
    const NativeJson root = NativeJson::parse(text, nullptr, /*allow_exceptions=*/false);
    OpReader reader;
    const char* problem = root.is_discarded() ? "not valid JSON" : reader.read_op(root);
    if (problem == nullptr) {
      meaning.what = reader.meaning();
      return;
    }
    meaning.what = PlainName{std::string(text)};
    meaning.problem = problem;
  }
};

}  // namespace

void register_native(Registry& registry);
void register_native(Registry& registry) { registry.add(std::make_unique<Native>()); }

}  // namespace prof::dialects
