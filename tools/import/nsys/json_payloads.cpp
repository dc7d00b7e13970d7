// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nsys/json_payloads.hpp"

#include <bit>
#include <nlohmann/json.hpp>
#include <optional>

namespace prof::importers::nsys {
namespace {

using Json = nlohmann::json;

/// More, longer or deeper ones than programs have are damage.
constexpr std::size_t kMaxSchemas = 4096, kMaxFields = 256;
constexpr std::size_t kMaxBytes = std::size_t{64} * 1024;

struct Number {
  std::string_view type;  // docs/formats/schema.md
  std::uint64_t bits = 0;
};

std::optional<Number> number_of(const Json& value) {
  if (const auto* whole = value.get_ptr<const Json::number_unsigned_t*>()) {
    return Number{"uint64", *whole};
  }
  if (const auto* whole = value.get_ptr<const Json::number_integer_t*>()) {
    return Number{"int64", static_cast<std::uint64_t>(*whole)};
  }
  if (const auto* real = value.get_ptr<const Json::number_float_t*>()) {
    return Number{"double", std::bit_cast<std::uint64_t>(*real)};
  }
  return std::nullopt;
}

void append_bits(std::string& bytes, std::uint64_t bits) {
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> shift));
  }
}

}  // namespace

JsonPayloads::Encoded JsonPayloads::encode(DomainId domain, std::string_view json) {
  Encoded encoded;
  if (json.size() > kMaxBytes) return encoded;
  const Json root = Json::parse(json, nullptr, false);
  if (!root.is_object()) return encoded;
  Json fields = Json::array();
  for (const auto& [name, value] : root.items()) {
    const auto number = number_of(value);
    if (!number || fields.size() == kMaxFields) continue;
    fields.push_back({{"name", name},
                      {"type", number->type},
                      {"offset", encoded.bytes.size()},
                      {"array", 0},
                      {"flags", 0}});
    append_bits(encoded.bytes, number->bits);
  }
  encoded.is_whole = fields.size() == root.size();
  if (fields.empty()) return encoded;
  std::pair key(domain.value, fields.dump(-1, ' ', false, Json::error_handler_t::replace));
  auto known = schemas_.find(key);
  if (known == schemas_.end()) {
    if (schemas_.size() == kMaxSchemas) return {};
    known = schemas_.emplace(std::move(key), schemas_.size() + 1).first;
    sink_.on(PayloadSchemaRecord{domain, known->second, {}, known->first.second});
  }
  encoded.schema = known->second;
  return encoded;
}

}  // namespace prof::importers::nsys
