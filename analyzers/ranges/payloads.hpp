// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Payloads: the integers and texts in the binary payloads of ranges, by the field names of their
// schemas.
// Schemas are untrusted input: fields beyond a payload's end are absent. Costs nothing in traces
// without payloads. Memory: the schemas, and a bounded number of objects for each fact looked up.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzers/dialects/dialect.hpp"
#include "libprof/store/read/trace_reader.hpp"

namespace prof {

class Payloads {
 public:
  explicit Payloads(TraceReader& reader);

  /// True if ranges of the domain may have payloads.
  [[nodiscard]] bool in(DomainId domain) const {
    for (const DomainId known : domains_) {
      if (known == domain) return true;
    }
    return false;
  }

  /// The payloads of a range. Valid until the next call.
  const dialects::RangePayload* of(const RangeRow& range);
  /// The key of the last payload returned by of(): equal for payloads with equal numbers and texts.
  /// Padding between fields does not matter.
  [[nodiscard]] std::string_view key() const { return current_.key; }

 private:
  struct Field {
    std::string name;
    std::uint64_t offset = 0;
    std::uint8_t bytes = 0;
    bool is_signed = false;
    bool is_text = false;  ///< The number is where in the payload its text begins; 0: not kept.
  };
  struct Schema {
    DomainId domain;
    std::uint64_t id = 0;
    std::vector<Field> fields;

    [[nodiscard]] const Field* find(std::string_view name) const;
  };
  using Objects = std::unordered_map<std::int64_t, std::optional<std::int64_t>>;

  class Current final : public dialects::RangePayload {
   public:
    explicit Current(Payloads& owner) : owner_(owner) {}
    [[nodiscard]] std::optional<std::int64_t> number(std::string_view field) const override;
    [[nodiscard]] std::string_view text(std::string_view field) const override;
    [[nodiscard]] std::optional<std::int64_t> fact(const Fact& fact,
                                                   std::int64_t object) const override;

    struct Part {
      const Schema* schema = nullptr;
      std::size_t begin = 0, size = 0;  // in bytes
    };
    DomainId domain;
    std::vector<Part> parts;
    std::string bytes, key;

   private:
    Payloads& owner_;
  };

  [[nodiscard]] const Schema* find(DomainId domain, std::uint64_t id) const;
  const Objects& objects(DomainId domain, const dialects::RangePayload::Fact& fact);
  static std::optional<std::int64_t> read(const Field& field, std::string_view bytes);
  static std::string_view read_text(const Field& field, std::string_view bytes);
  static std::vector<Field> read_fields(std::string_view json);

  TraceReader& reader_;
  std::vector<DomainId> domains_;
  std::vector<Schema> schemas_;
  std::map<std::string, Objects, std::less<>> facts_;  // by domain and names
  Current current_{*this};
};

}  // namespace prof
