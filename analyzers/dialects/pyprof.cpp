// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PyProf's markers: what its nvtx module prints for a Python call, as a dict's repr() or as JSON.
//
//     {'traceMarker': ['/w/net.py:50', ...]}           the call's frames, outer to inner
//     {'mod': 'LSTMCell', 'strRepr': '64, 128'}        a module's own repr: no information
//     {'mod': 'torch.nn.functional', 'op': 'linear', 'args': [{'name': '', 'type': 'tensor',
//         'shape': (32, 128), 'dtype': 'float16'}, ...]}
//
// Strict; nothing is evaluated. Text that looks like one of these but is not is a plain name and is
// counted.
#include <algorithm>
#include <utility>

#include "analyzers/dialects/framework_op.hpp"
#include "analyzers/dialects/python_literal.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/ops/aten_signatures.hpp"

namespace prof::dialects {
namespace {

using Kind = PythonValue::Kind;

constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMaxArguments = 65'536;

/// Library frames, which do not show where the program is.
constexpr std::string_view kLibraryPaths[] = {
    "/torch/nn/modules/", "/torch/nn/functional.py",  "/torch/tensor.py",
    "/torch/autograd/",   "/torch/_jit_internal.py",  "/torch/_utils.py",
    "/torch/optim/",      "/pyprof/nvtx/nvmarker.py", "/apex/optimizers/",
};

bool starts_like_ours(std::string_view text) {
  for (const std::string_view start :
       {"{'traceMarker'", "{\"traceMarker\"", "{'mod'", "{\"mod\""}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

const std::string* text_at(const PythonValue& dict, std::string_view key) {
  const PythonValue* value = dict.at(key);
  return value != nullptr && value->kind == Kind::kText ? &value->text : nullptr;
}

/// The innermost frame of the program itself, otherwise the innermost of all.
std::string place(const std::vector<PythonValue>& frames) {
  std::string_view innermost;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (frame->kind != Kind::kText) continue;
    if (innermost.empty()) innermost = frame->text;
    const bool of_library = std::ranges::any_of(kLibraryPaths, [&](std::string_view path) {
      return frame->text.find(path) != std::string::npos;
    });
    if (!of_library) return frame->text;
  }
  return std::string(innermost);
}

const char* read_tensor(const PythonValue& arg, Tensor& tensor) {
  const PythonValue* shape = arg.at("shape");
  if (shape == nullptr || shape->kind != Kind::kList) return "a tensor has no shape";
  if (shape->items.size() > kMaxRank) return "a tensor has more than 64 dimensions";
  for (const PythonValue& size : shape->items) {
    if (size.kind != Kind::kInteger || size.integer < 0) return "a dimension is not a whole number";
    tensor.shape.push_back(size.integer);
  }
  const std::string* dtype = text_at(arg, "dtype");
  if (dtype == nullptr) return "a tensor has no dtype";
  tensor.dtype = parse_dtype(*dtype);
  return nullptr;
}

void read_scalar(const std::string& name, const PythonValue* value, OpDesc& op) {
  if (name.empty() || value == nullptr) return;
  switch (value->kind) {
    case Kind::kBool:
      op.attrs.emplace(name, value->boolean);
      break;
    case Kind::kInteger:
      op.attrs.emplace(name, value->integer);
      break;
    case Kind::kReal:
      op.attrs.emplace(name, value->real);
      break;
    case Kind::kText:
      op.attrs.emplace(name, value->text);
      break;
    case Kind::kNone:
    case Kind::kList:
    case Kind::kDict:
      break;
  }
}

const char* read_args(const PythonValue& args, OpDesc& op) {
  if (args.items.size() > kMaxArguments) return "an op has more than 65536 arguments";
  const auto names = ops::aten_argument_names(op.op);
  for (std::size_t i = 0; i < args.items.size(); ++i) {
    const PythonValue& arg = args.items[i];
    const std::string* type = text_at(arg, "type");
    const std::string* name = text_at(arg, "name");
    if (type == nullptr || name == nullptr) return "an argument has no \"name\" or \"type\"";
    if (*type != "tensor" && *type != "ndarray") {
      read_scalar(*name, arg.at("value"), op);
      continue;
    }
    Tensor tensor;
    tensor.name = *name;
    if (name->empty() && i < names.size() && names[i] != "-") tensor.name = names[i];
    if (const char* problem = read_tensor(arg, tensor)) return problem;
    op.tensors.push_back(std::move(tensor));
  }
  return nullptr;
}

/// "FusedAdam" gives "adam": optimizers are classes; their op is always `step`.
std::string optimizer(std::string_view type) {
  if (type.starts_with("Fused")) type.remove_prefix(5);
  std::string made;
  for (const char c : type) made += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return made;
}

void settle_optimizer(OpDesc& op) {
  if (op.op == "step") {
    if (std::string made = optimizer(op.module); !made.empty()) op.op = std::move(made);
    op.direction = Direction::kUpdate;
  } else if (op.module == "amp_C" || op.module.ends_with("adam_cuda") ||
             op.module.ends_with("lamb_cuda")) {
    op.direction = Direction::kUpdate;
    for (const std::string_view known : {"adam", "sgd", "lamb"}) {
      if (op.op.find(known) != std::string::npos || op.module.find(known) != std::string::npos) {
        op.op = known;
      }
    }
  }
}

class PyProf final : public Dialect {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "pyprof"; }

  [[nodiscard]] std::optional<RangeMeaning> parse(const RangeText& range) const override {
    if (!range.default_domain || !starts_like_ours(range.text)) return std::nullopt;
    RangeMeaning meaning;
    const auto root = read_python(range.text);
    const char* problem = root ? read(*root, meaning) : "not a Python dict";
    if (problem == nullptr) return meaning;
    meaning = {};
    meaning.what = PlainName{std::string(range.text)};
    meaning.problem = problem;
    return meaning;
  }

 private:
  static const char* read(const PythonValue& root, RangeMeaning& meaning) {
    if (root.kind != Kind::kDict) return "not a dict";
    if (const PythonValue* frames = root.at("traceMarker")) {
      if (frames->kind != Kind::kList) return "\"traceMarker\" is not a list";
      meaning.what = SourceLine{place(frames->items)};
      return nullptr;
    }
    if (root.at("strRepr") != nullptr) return nullptr;
    const std::string* module = text_at(root, "mod");
    const std::string* word = text_at(root, "op");
    const PythonValue* args = root.at("args");
    if (module == nullptr || word == nullptr || word->empty()) return "no \"mod\" or no \"op\"";
    if (args == nullptr || args->kind != Kind::kList) return "\"args\" is not a list";
    OpDesc op;
    op.module = *module;
    op.op = *word;
    if (const char* problem = read_args(*args, op)) return problem;
    settle_optimizer(op);
    meaning.what = framework_op(std::move(op), /*is_recorded=*/false);
    return nullptr;
  }
};

}  // namespace

void register_pyprof(Registry& registry);
void register_pyprof(Registry& registry) { registry.add(std::make_unique<PyProf>()); }

}  // namespace prof::dialects
