// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/memory_mark.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace prof::importers {
namespace {

constexpr std::string_view kMemoryEvent = "[memory]";
/// c10::DeviceType of the host; all others are accelerators.
constexpr std::int64_t kHostType = 0;

std::optional<std::int64_t> signed_of(const TraceEvent& event, std::string_view name) {
  const EventValue* const value = event.arg(name);
  if (value == nullptr) return std::nullopt;
  const std::string& digits = value->text;
  std::int64_t number = 0;
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool is_whole = error == std::errc() && at == digits.data() + digits.size();
  return is_whole ? std::optional(number) : std::nullopt;
}

struct MemoryWord {
  std::string_view theirs, ours;
};
constexpr std::array kMemoryWords = {MemoryWord{"Bytes", "bytes"},
                                     MemoryWord{"Total Allocated", "allocated"},
                                     MemoryWord{"Total Reserved", "reserved"}};

}  // namespace

std::optional<std::string> memory_mark(const TraceEvent& event) {
  if (event.name != kMemoryEvent) return std::nullopt;
  const auto type = signed_of(event, "Device Type");
  const auto device = signed_of(event, "Device Id");
  const bool is_host = type == kHostType;
  std::string text = R"({"v":1,"mod":"prof","memory":{)";
  text.append(is_host ? R"("host":)" : R"("device":)");
  text.append(std::to_string(is_host ? 1 : device.value_or(0)));
  for (const MemoryWord& word : kMemoryWords) {
    const auto number = signed_of(event, word.theirs);
    if (!number) continue;
    text.append(",\"").append(word.ours).append("\":").append(std::to_string(*number));
  }
  return text += "}}";
}

}  // namespace prof::importers
