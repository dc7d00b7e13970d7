// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/op_examples.hpp"

#include <charconv>
#include <string>
#include <utility>

#include "analyzers/dialects/op_signature.hpp"
#include "analyzers/ops/aten_signatures.hpp"

namespace prof::ops {

std::optional<std::vector<Shape>> parse_sizes(std::string_view text) {
  std::vector<Shape> shapes;
  int depth = 0;
  while (!text.empty()) {
    const char c = text.front();
    if (c >= '0' && c <= '9') {
      std::int64_t size = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error != std::errc{} || depth != 2) return std::nullopt;
      shapes.back().push_back(size);
      text.remove_prefix(static_cast<std::size_t>(end - text.data()));
      continue;
    }
    if (c == '[' && ++depth == 2) shapes.emplace_back();
    if (c == ']') --depth;
    if (depth < 0 || depth > 2 || std::string_view{"[], "}.find(c) == std::string_view::npos) {
      return std::nullopt;
    }
    text.remove_prefix(1);
  }
  if (depth != 0) return std::nullopt;
  return shapes;
}

std::optional<OpDesc> example_op(const OpExample& example, const dialects::Registry& dialects) {
  if (example.text.starts_with('{')) {
    const bool is_signature = example.text.starts_with("{\"op\"");
    const auto meaning = is_signature ? dialects::read_op_signature(example.text, false)
                                      : dialects.parse({example.text, {}, true});
    const OpDesc* op = meaning.op();
    if (op == nullptr) return std::nullopt;
    return *op;
  }
  constexpr std::string_view kSizes = ", sizes = ";
  const std::size_t at = example.text.find(kSizes);
  if (at == std::string_view::npos) return std::nullopt;
  const auto shapes = parse_sizes(example.text.substr(at + kSizes.size()));
  if (!shapes) return std::nullopt;
  OpDesc op;
  op.op = example.text.substr(0, at);
  AtenTensors named = aten_tensors(op.op, *shapes);
  if (!named.named) return std::nullopt;
  op.tensors = std::move(named.tensors);
  for (Tensor& tensor : op.tensors) tensor.dtype = example.dtype;
  if (!example.around.empty()) {
    const auto around = dialects.parse({example.around, {}, true});
    const auto* attributes = around.as<OpAttributes>();
    if (attributes == nullptr) return std::nullopt;
    op.attrs = attributes->about->attrs;
  }
  return op;
}

}  // namespace prof::ops
