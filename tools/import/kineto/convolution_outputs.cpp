// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/convolution_outputs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <nlohmann/json.hpp>

namespace prof::importers {
namespace {

using SignatureJson = nlohmann::ordered_json;

/// Ops of which the file lists all arguments: what follows them is the result (docs/op_facts.md).
constexpr std::array<std::string_view, 7> kConvolutions = {
    "aten::conv1d",           "aten::conv2d",           "aten::conv3d",
    "aten::conv_transpose1d", "aten::conv_transpose2d", "aten::conv_transpose3d",
    "aten::convolution"};

/// More convolutions than any recorded part of a run has.
constexpr std::size_t kMaxConvolutions = std::size_t{1} << 18;
/// With the batch and the channels.
constexpr std::size_t kMinDims = 3, kMaxDims = 5;

bool is_gradient(std::string_view name) {
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("Backward") && name.find("Conv") != std::string_view::npos &&
         name.find(':') == std::string_view::npos;
}

/// "[8,32,16,16]"; empty if it is no shape of a result.
std::string result_shape(const EventValue& dims) {
  if (dims.items.size() < kMinDims || dims.items.size() > kMaxDims) return {};
  std::string text = "[";
  for (const EventValue& size : dims.items) {
    const auto number = size.whole();
    if (!number) return {};
    if (text.size() > 1) text += ',';
    text += std::to_string(*number);
  }
  return text += ']';
}

}  // namespace

void ConvolutionOutputs::take(const TraceEvent& event, std::uint32_t signature_id,
                              std::string_view signature) {
  const EventValue* const shapes = event.arg("Input Dims");
  if (shapes == nullptr || shapes->items.empty()) return;
  if (std::ranges::find(kConvolutions, event.name) != kConvolutions.end()) {
    const bool is_complete = event.arg("Concrete Inputs") != nullptr;
    if (!is_complete && incomplete_.size() < kMaxConvolutions) {
      incomplete_.try_emplace(signature_id, signature);
    }
    return;
  }
  const auto sequence = event.number("Sequence number");
  if (!sequence || !is_gradient(event.name) || gradients_.size() >= kMaxConvolutions) return;
  std::string shape = result_shape(shapes->items.front());
  const auto [known, is_new] = gradients_.try_emplace(*sequence, shape);
  // Threads count by themselves.
  if (!is_new && known->second != shape) known->second.clear();
}

std::optional<std::string> ConvolutionOutputs::completed(std::uint32_t signature_id,
                                                         std::uint64_t sequence) const {
  const auto signature = incomplete_.find(signature_id);
  const auto gradient = gradients_.find(sequence);
  if (signature == incomplete_.end() || gradient == gradients_.end()) return std::nullopt;
  if (gradient->second.empty()) return std::nullopt;
  SignatureJson made = SignatureJson::parse(signature->second, nullptr, false);
  if (!made.is_object() || !made.contains("args") || made["args"].empty()) return std::nullopt;
  SignatureJson result = {{"shape", SignatureJson::parse(gradient->second)}};
  const SignatureJson& x = made["args"].front();
  if (x.is_object() && x.contains("dtype")) result["dtype"] = x["dtype"];
  made["args"].push_back(std::move(result));
  return made.dump(-1, ' ', false, SignatureJson::error_handler_t::replace);
}

}  // namespace prof::importers
