// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/op_document.hpp"

#include <sstream>
#include <type_traits>

#include "analyzers/ops/op_math.hpp"
#include "tests/unit/analyzers/op_examples.hpp"

namespace prof::ops {
namespace {

constexpr std::string_view kHead = R"(# Ops: how each is counted

Generated from the op models (analyzers/ops) by `make_ops_doc`; a test fails if this file differs from them.
[conventions.md](conventions.md) has the rules: what counts as a FLOP, what bytes mean, what a basis is.
[add.md](add.md#an-op-model) explains how to add a model.

E: elements of the output (for reductions and losses: of the main input). s: bytes per element.
in, out: bytes of all inputs, of all outputs. `-`: not applicable, or no formula.

Any spelling of an op works: `relu`, `relu_`, `aten::relu_`. PyTorch's inner and backward ops use the model
of the op the user calls (`aten::_softmax_backward_data` is `softmax`, backward). An op that names no
outputs gets those implied by its inputs. Examples of the form `aten::mm, sizes = ...` are in the format of
PyTorch's emit_nvtx, which records only shapes; their dtypes and attributes come from elsewhere.
)";

std::string whole(const std::optional<double>& value) {
  return value ? std::to_string(static_cast<std::int64_t>(*value)) : "-";
}

std::string_view name(Basis basis) {
  switch (basis) {
    case Basis::kExact:
      return "exact";
    case Basis::kEstimated:
      return "estimated";
    case Basis::kUpperBound:
      return "upper bound";
    case Basis::kUnknown:
      break;
  }
  return "unknown";
}

std::string listed(std::string_view words) {
  std::string result;
  for_each_word(words, [&](std::string_view word) {
    result += (result.empty() ? "`" : " `") + std::string(word) + "`";
  });
  return result;
}

std::string print(const AttrValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::is_same_v<Held, std::string>) {
          return held;
        } else {
          std::ostringstream out;
          out << held;
          return out.str();
        }
      },
      value);
}

void add_tensors(std::ostream& out, const OpDesc& op, bool wanted(const Tensor&)) {
  for (const Tensor& tensor : op.tensors) {
    if (!wanted(tensor)) continue;
    out << ' ' << tensor.name << text(tensor.shape) << ' ' << name(tensor.dtype);
  }
}

/// "key=value, key=value" after `before`.
void add_attrs(std::ostream& out, const OpDesc& op, std::string_view before) {
  for (const auto& [key, value] : op.attrs) {
    out << before << key << '=' << print(value);
    before = ", ";
  }
}

/// "linear bprop weight: dy(8,4) float16 x(8,2) float16 -> dweight(4,2) float16; key=value"
std::string describe(const OpExample& example, const OpDesc& op) {
  std::ostringstream out;
  if (!example.text.starts_with('{')) {
    out << '`' << example.text << '`';
    if (example.dtype != DType::kUnknown) out << ' ' << name(example.dtype);
    if (!op.attrs.empty()) {
      out << ' ';
      add_attrs(out, op, "`");
      out << '`';
    }
    return out.str();
  }
  out << '`' << op.op;
  if (op.direction != Direction::kNone) out << ' ' << name(op.direction);
  if (op.part != Part::kNone) out << ' ' << name(op.part);
  out << ":";
  add_tensors(out, op, is_input);
  out << " ->";
  add_tensors(out, op, is_output);
  add_attrs(out, op, "; ");
  out << '`';
  return out.str();
}

void add_model(std::ostream& out, const OpModel& model, const dialects::Registry& dialects) {
  out << "\n## " << model.name << "\n\n"
      << "| words | FLOPs, forward | FLOPs, backward | bytes | basis |\n|---|---|---|---|---|\n";
  for (const OpFormula& formula : model.formulas) {
    out << "| " << listed(formula.words) << " | " << formula.forward << " | " << formula.backward
        << " | " << formula.bytes << " | " << formula.basis << " |\n";
  }
  if (!model.notes.empty()) out << '\n' << model.notes << '\n';
  if (model.implied_direction != Direction::kNone) {
    out << "\nDirection, where none is said: `" << name(model.implied_direction) << "`.\n";
  }
  out << "\n| example | params | FLOPs | bytes read | bytes written | basis |\n"
      << "|---|---|---|---|---|---|\n";
  for (const OpExample& example : model.examples) {
    const auto op = example_op(example, dialects);
    if (!op) continue;
    const OpFacts facts = evaluate(&model, *op);
    out << "| " << describe(example, *op) << " | " << facts.params << " | "
        << whole(facts.cost.flops) << " | " << whole(facts.cost.read) << " | "
        << whole(facts.cost.written) << " | " << name(facts.cost.basis) << " |\n";
  }
}

}  // namespace

std::string document(const Registry& ops, const dialects::Registry& dialects) {
  std::ostringstream out;
  out << kHead;
  for (const OpModel& model : ops.models()) add_model(out, model, dialects);
  return out.str();
}

}  // namespace prof::ops
