// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/ranges/payloads.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace prof {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxObjects = 1U << 16;

struct NumberType {
  std::string_view name;  // as the collector writes it (docs/formats/schema.md)
  std::uint8_t bytes;
  bool is_signed;
};

// `long` and `size` have their 64-bit Linux sizes, the only platform that is captured.
constexpr NumberType kNumberTypes[] = {
    {"short", 2, true}, {"ushort", 2, false},  {"int", 4, true},        {"uint", 4, false},
    {"long", 8, true},  {"ulong", 8, false},   {"longlong", 8, true},   {"ulonglong", 8, false},
    {"int8", 1, true},  {"uint8", 1, false},   {"int16", 2, true},      {"uint16", 2, false},
    {"int32", 4, true}, {"uint32", 4, false},  {"int64", 8, true},      {"uint64", 8, false},
    {"size", 8, false}, {"address", 8, false}, {"pid_uint32", 4, false}};

/// A string that the program registered once and refers to by its handle.
constexpr std::string_view kRegisteredString = "registered_string";

template <typename T>
const T* member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : found->get_ptr<const T*>();
}

}  // namespace

Payloads::Payloads(TraceReader& reader) : reader_(reader) {
  for (const PayloadSchemaRow& row : reader.payload_schemas()) {
    schemas_.push_back({row.domain, row.schema, read_fields(row.fields_json)});
    // The default domain has texts of all kinds; no known dialect there uses payloads.
    if (row.domain != kDefaultDomain && !in(row.domain)) domains_.push_back(row.domain);
  }
}

std::vector<Payloads::Field> Payloads::read_fields(std::string_view json) {
  std::vector<Field> fields;
  const Json root = Json::parse(json, nullptr, false);
  if (!root.is_array()) return fields;
  for (const Json& entry : root) {
    if (!entry.is_object()) continue;
    const auto* name = member<std::string>(entry, "name");
    const auto* type = member<std::string>(entry, "type");
    const auto* offset = member<Json::number_unsigned_t>(entry, "offset");
    const auto* array = member<Json::number_unsigned_t>(entry, "array");
    if (name == nullptr || type == nullptr || offset == nullptr) continue;
    const bool is_registered = *type == kRegisteredString;
    if (is_registered && entry.contains("stored")) {
      fields.push_back({*name, *offset, sizeof(std::uint64_t), false, true});
      continue;
    }
    if ((array != nullptr && *array != 0) || entry.contains("stored")) continue;
    const auto* known = std::ranges::find(kNumberTypes, std::string_view(*type), &NumberType::name);
    if (known == std::end(kNumberTypes)) continue;
    fields.push_back({*name, *offset, known->bytes, known->is_signed, false});
  }
  return fields;
}

const Payloads::Field* Payloads::Schema::find(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found == fields.end() ? nullptr : &*found;
}

const Payloads::Schema* Payloads::find(DomainId domain, std::uint64_t id) const {
  const auto found = std::ranges::find_if(
      schemas_, [&](const Schema& schema) { return schema.domain == domain && schema.id == id; });
  return found == schemas_.end() ? nullptr : &*found;
}

std::optional<std::int64_t> Payloads::read(const Field& field, std::string_view bytes) {
  if (field.bytes == 0 || field.bytes > sizeof(std::uint64_t)) return std::nullopt;
  if (bytes.size() < field.bytes || field.offset > bytes.size() - field.bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = field.bytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[field.offset + i]);
  }
  const unsigned unused = 64U - 8U * field.bytes;
  const auto bits = static_cast<std::int64_t>(value << unused);
  return field.is_signed ? bits >> unused : static_cast<std::int64_t>(value);
}

std::string_view Payloads::read_text(const Field& field, std::string_view bytes) {
  const auto begin = read(field, bytes);
  if (!begin || *begin <= 0 || static_cast<std::uint64_t>(*begin) >= bytes.size()) return {};
  bytes.remove_prefix(static_cast<std::size_t>(*begin));
  return bytes.substr(0, bytes.find('\0'));
}

const dialects::RangePayload* Payloads::of(const RangeRow& range) {
  current_.domain = range.domain;
  current_.parts.clear();
  current_.bytes.clear();
  current_.key.clear();
  reader_.payloads_of(range.id, [&](const PayloadRow& row) {
    const Schema* schema = find(row.domain, row.schema);
    if (schema == nullptr) return;
    current_.parts.push_back({schema, current_.bytes.size(), row.bytes.size()});
    current_.bytes += row.bytes;
    current_.key += std::to_string(row.schema);
    for (const Field& field : schema->fields) {
      current_.key += ' ';
      if (field.is_text) {
        current_.key += read_text(field, row.bytes);
      } else if (const auto value = read(field, row.bytes))
        current_.key += std::to_string(*value);
    }
    current_.key += '\0';
  });
  return current_.parts.empty() ? nullptr : &current_;
}

std::string_view Payloads::Current::text(std::string_view field) const {
  for (const Part& part : parts) {
    const Field* found = part.schema->find(field);
    if (found == nullptr || !found->is_text) continue;
    return read_text(*found, std::string_view(bytes).substr(part.begin, part.size));
  }
  return {};
}

std::optional<std::int64_t> Payloads::Current::number(std::string_view field) const {
  for (const Part& part : parts) {
    if (const Field* found = part.schema->find(field); found != nullptr && !found->is_text) {
      return read(*found, std::string_view(bytes).substr(part.begin, part.size));
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> Payloads::Current::fact(const Fact& fact, std::int64_t object) const {
  const Objects& known = owner_.objects(domain, fact);
  const auto found = known.find(object);
  return found == known.end() ? std::nullopt : found->second;
}

const Payloads::Objects& Payloads::objects(DomainId domain,
                                           const dialects::RangePayload::Fact& fact) {
  std::string name = std::to_string(domain.value);
  for (const std::string_view part : {fact.key, fact.field, fact.unless}) {
    name += '\0';
    name += part;
  }
  const auto [it, is_new] = facts_.try_emplace(std::move(name));
  Objects& objects = it->second;
  if (!is_new) return objects;
  for (const Schema& schema : schemas_) {
    const Field* key = schema.find(fact.key);
    const Field* field = schema.find(fact.field);
    if (schema.domain != domain || key == nullptr || field == nullptr) continue;
    if (!fact.unless.empty() && schema.find(fact.unless) != nullptr) continue;
    reader_.payloads_with(domain, schema.id, [&](const PayloadRow& row) {
      const auto object = read(*key, row.bytes);
      const auto value = read(*field, row.bytes);
      if (!object || !value) return;
      const auto known = objects.find(*object);
      if (known != objects.end()) {
        if (known->second != value) known->second.reset();
      } else if (objects.size() < kMaxObjects) {
        objects.emplace(*object, value);
      }
    });
  }
  return objects;
}

}  // namespace prof
