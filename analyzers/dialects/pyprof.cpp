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
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzers/dialects/framework_op.hpp"
#include "analyzers/dialects/python_literal.hpp"
#include "analyzers/dialects/python_signatures.hpp"
#include "analyzers/dialects/registry.hpp"
#include "libprof/base/ascii.hpp"

namespace prof::dialects {
namespace {

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
  return value != nullptr && value->kind == PythonValue::Kind::kText ? &value->text : nullptr;
}

/// The innermost frame of the program itself, otherwise the innermost of all.
std::string place(const std::vector<PythonValue>& frames) {
  std::string_view innermost;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    if (frame->kind != PythonValue::Kind::kText) continue;
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
  if (shape == nullptr || shape->kind != PythonValue::Kind::kList) return "a tensor has no shape";
  if (shape->items.size() > kMaxRank) return "a tensor has more than 64 dimensions";
  for (const PythonValue& size : shape->items) {
    if (size.kind != PythonValue::Kind::kInteger || size.integer < 0)
      return "a dimension is not a whole number";
    tensor.shape.push_back(size.integer);
  }
  const std::string* dtype = text_at(arg, "dtype");
  if (dtype == nullptr) return "a tensor has no dtype";
  tensor.dtype = parse_dtype(*dtype);
  return nullptr;
}

/// A list of numbers as op models read it: "2,1". Nullopt for a list of anything else.
std::optional<AttrValue> list_value(const std::vector<PythonValue>& items) {
  std::string list;
  for (const PythonValue& item : items) {
    if (!list.empty()) list += ',';
    if (item.kind == PythonValue::Kind::kBool) {
      list += item.boolean ? '1' : '0';
    } else if (item.kind == PythonValue::Kind::kInteger) {
      list += std::to_string(item.integer);
    } else if (item.kind == PythonValue::Kind::kReal) {
      list += std::to_string(item.real);
    } else {
      return std::nullopt;
    }
  }
  return list;
}

std::optional<AttrValue> value_of(const PythonValue& value) {
  switch (value.kind) {
    case PythonValue::Kind::kBool:
      return value.boolean;
    case PythonValue::Kind::kInteger:
      return value.integer;
    case PythonValue::Kind::kReal:
      return value.real;
    case PythonValue::Kind::kText:
      return value.text;
    case PythonValue::Kind::kList:
      return list_value(value.items);
    case PythonValue::Kind::kNone:
    case PythonValue::Kind::kDict:
      break;
  }
  return std::nullopt;
}

const char* read_args(const PythonValue& args, OpDesc& op) {
  if (args.items.size() > kMaxArguments) return "an op has more than 65536 arguments";
  std::vector<PythonArgument> arguments;
  for (const PythonValue& arg : args.items) {
    const std::string* type = text_at(arg, "type");
    const std::string* name = text_at(arg, "name");
    if (type == nullptr || name == nullptr) return "an argument has no \"name\" or \"type\"";
    PythonArgument& argument = arguments.emplace_back();
    argument.keyword = *name;
    if (*type == "tensor" || *type == "ndarray") {
      argument.kind = PythonArgument::Kind::kTensor;
      if (const char* problem = read_tensor(arg, argument.tensor)) return problem;
    } else if (const PythonValue* value = arg.at("value"); value != nullptr) {
      auto read = value_of(*value);
      argument.kind = value->kind == PythonValue::Kind::kNone ? PythonArgument::Kind::kNone
                                                              : PythonArgument::Kind::kValue;
      // A value that was passed but cannot be read is not a default: no model reads "?".
      argument.value = read ? std::move(*read) : AttrValue(std::string("?"));
    }
  }
  take_arguments(arguments, op);
  return nullptr;
}

/// "FusedAdam" gives "adam": optimizers are classes; their op is always `step`.
std::string optimizer_word(std::string_view type) {
  if (type.starts_with("Fused")) type.remove_prefix(5);
  return lower(type);
}

void settle_optimizer(OpDesc& op) {
  if (op.op == "step") {
    if (std::string made = optimizer_word(op.module); !made.empty()) op.op = std::move(made);
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

struct Cell {
  std::string_view module, op;
  std::int64_t gates;
};
constexpr Cell kCells[] = {
    {"LSTMCell", "lstm_cell", 4}, {"GRUCell", "gru_cell", 3}, {"RNNCell", "rnn_tanh_cell", 1}};

/// `forward` of a recurrent cell takes its input and state. The shapes of its weights follow from
/// theirs; whether it has biases is not known.
void settle_cell(OpDesc& op) {
  const auto* const cell = std::ranges::find(kCells, op.module, &Cell::module);
  if (cell == std::end(kCells) || op.op != "forward" || op.tensors.size() < 2) return;
  const Tensor x = op.tensors[0], state = op.tensors[1];
  if (x.shape.size() != 2 || state.shape.size() != 2) return;
  std::int64_t rows = 0;
  if (__builtin_mul_overflow(cell->gates, state.shape[1], &rows)) return;
  op.op = cell->op;
  op.tensors[0].name = "x";
  op.tensors[1].name = "hx";
  if (op.tensors.size() > 2) op.tensors[2].name = "cx";
  op.tensors.push_back({"w_ih", Tensor::Role::kIn, x.dtype, {rows, x.shape[1]}});
  op.tensors.push_back({"w_hh", Tensor::Role::kIn, x.dtype, {rows, state.shape[1]}});
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
    if (root.kind != PythonValue::Kind::kDict) return "not a dict";
    if (const PythonValue* frames = root.at("traceMarker")) {
      if (frames->kind != PythonValue::Kind::kList) return "\"traceMarker\" is not a list";
      meaning.what = SourceLine{place(frames->items)};
      return nullptr;
    }
    if (root.at("strRepr") != nullptr) return nullptr;
    const std::string* module = text_at(root, "mod");
    const std::string* word = text_at(root, "op");
    const PythonValue* args = root.at("args");
    if (module == nullptr || word == nullptr || word->empty()) return "no \"mod\" or no \"op\"";
    if (args == nullptr || args->kind != PythonValue::Kind::kList) return "\"args\" is not a list";
    OpDesc op;
    op.module = *module;
    op.op = *word;
    if (const char* problem = read_args(*args, op)) return problem;
    settle_optimizer(op);
    settle_cell(op);
    FrameworkOp made = framework_op(std::move(op), /*is_recorded=*/false);
    made.is_of_model = *module == "torch.nn.functional" || *word == "forward";
    made.is_step = *word == "step";
    if (made.is_step) {
      made.is_builtin = true;  // as in PyTorch's own ranges
      made.optimizer = *module;
    }
    meaning.what = std::move(made);
    return nullptr;
  }
};

}  // namespace

void register_pyprof(Registry& registry);
void register_pyprof(Registry& registry) { registry.add(std::make_unique<PyProf>()); }

}  // namespace prof::dialects
