// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NVTX: ranges, marks, domains, names.
#include <array>
#include <bit>
#include <utility>

#include "tools/import/nsys/row_source.hpp"

namespace prof::importers::nsys {
namespace {

constexpr std::string_view kNvtxTable = "NVTX_EVENTS";
/// More domains than any program has are damage.
constexpr std::size_t kMaxDomains = 1U << 16;

enum Column : std::size_t {
  kNvtxStart,
  kNvtxEnd,
  kNvtxType,
  kNvtxCategory,
  kNvtxColor,
  kNvtxText,
  kNvtxTextId,
  kNvtxThread,
  kNvtxEndThread,
  kNvtxDomain,
  kNvtxUint64,
  kNvtxInt64,
  kNvtxDouble,
  kNvtxUint32,
  kNvtxInt32,
  kNvtxFloat,
  kNvtxJson,
  kNvtxJsonId,
  kNvtxBinary,
};
constexpr std::array<std::string_view, kNvtxBinary + 1> kColumns = {
    "start",       "end",        "eventType",   "category",     "color",
    "text",        "textId",     "globalTid",   "endGlobalTid", "domainId",
    "uint64Value", "int64Value", "doubleValue", "uint32Value",  "int32Value",
    "floatValue",  "jsonText",   "jsonTextId",  "binaryData"};

/// ENUM_NSYS_EVENT_TYPE.
enum class Type : std::int64_t {
  kCategory = 33,
  kMark = 34,
  kThread = 39,
  kPushPop = 59,
  kStartEnd = 60,
  kTextPushPop = 70,   // of files of text, nvtxt
  kTextStartEnd = 71,  // likewise
  kDomainCreate = 75,
  kDomainDestroy = 76,
};

bool is_start_end(Type type) { return type == Type::kStartEnd || type == Type::kTextStartEnd; }

/// The text itself or a registered one. Valid until the next call.
std::optional<std::string_view> text_of(TableRows& row, Target& target) {
  const std::string_view own = row.text(kNvtxText);
  if (!own.empty()) return own;
  const auto id = row.integer(kNvtxTextId);
  // Older versions write 0 for none.
  if (!id || (*id == 0 && !row.is_null(kNvtxText))) return std::string_view();
  return target.texts.text(*id);
}

/// nsys's numbers from 0, which is the default domain. Null if there cannot be so many.
std::optional<DomainId> domain_of(TableRows& row, Target& target) {
  const std::uint32_t number = row.number32(kNvtxDomain).value_or(0);
  if (number == 0) return kDefaultDomain;
  if (number == UINT32_MAX) return std::nullopt;
  if (target.domains.size() == kMaxDomains && !target.domains.contains(number)) return std::nullopt;
  target.domains.try_emplace(number, false);
  return DomainId{number + 1};
}

Payload payload_of(TableRows& row) {
  const auto integer = [&row](std::size_t column) -> std::optional<std::uint64_t> {
    const auto number = row.integer(column);
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
  };
  const auto low = [](std::optional<std::uint64_t> number) -> std::optional<std::uint64_t> {
    return number ? std::optional(*number & UINT32_MAX) : std::nullopt;
  };
  const auto wide = row.real(kNvtxDouble);
  const auto narrow = row.real(kNvtxFloat);
  using Kind = Payload::Type;
  struct Value {
    Kind type;
    std::optional<std::uint64_t> bits;
  };
  const std::array values = {
      Value{Kind::kUint64, integer(kNvtxUint64)},
      Value{Kind::kInt64, integer(kNvtxInt64)},
      Value{Kind::kDouble,
            wide ? std::optional(std::bit_cast<std::uint64_t>(*wide)) : std::nullopt},
      Value{Kind::kUint32, low(integer(kNvtxUint32))},
      Value{Kind::kInt32, low(integer(kNvtxInt32))},
      Value{Kind::kFloat, narrow ? std::optional<std::uint64_t>(
                                       std::bit_cast<std::uint32_t>(static_cast<float>(*narrow)))
                                 : std::nullopt},
  };
  // Older versions write 0 into the columns of the other types.
  Payload payload;
  std::size_t known = 0;
  for (const Value& value : values) {
    if (!value.bits) continue;
    ++known;
    if (payload.type == Kind::kNone || payload.bits == 0) payload = {value.type, *value.bits};
  }
  return known > 1 && payload.bits == 0 ? Payload{} : payload;
}

/// Numbers of NVTX's extension, which nsys writes as JSON.
Status take_payload(TableRows& row, Target& target, Slice& slice) {
  std::string_view json = row.text(kNvtxJson);
  const auto id = row.integer(kNvtxJsonId);
  if (json.empty() && id) json = target.texts.text(*id).value_or("");
  if (json.empty() && row.is_null(kNvtxBinary)) return {};
  const JsonPayloads::Encoded encoded = target.payloads.encode(slice.domain, json);
  if (!encoded.is_whole) target.findings.payload();
  if (encoded.schema == 0) return {};
  return target.builder.set_payload(slice, encoded.schema, encoded.bytes);
}

Status take_event(TableRows& row, Target& target, Type type, DomainId domain) {
  const auto start = row.integer(kNvtxStart);
  if (!start) {
    target.findings.damaged(kNvtxTable, "without a start, left out");
    return {};
  }
  Slice slice;
  slice.start_ns = slice.end_ns = *start;
  if (type != Type::kMark) {
    // A range that was never closed has no end, or 0 in older versions.
    const std::int64_t end = row.integer(kNvtxEnd).value_or(0);
    slice.end_ns = end == 0 ? Slice::kNeverEnded : end;
    if (slice.end_ns < *start) {
      target.findings.damaged(kNvtxTable, "with an end before the start, left out");
      return {};
    }
  }
  slice.kind = type == Type::kMark  ? Slice::Kind::kMark
               : is_start_end(type) ? Slice::Kind::kProcessRange
                                    : Slice::Kind::kRange;
  slice.thread = thread_of(row, kNvtxThread, target.builder);
  if (!slice.thread && slice.kind == Slice::Kind::kRange) {
    target.findings.damaged(kNvtxTable, "without a thread, left out");
    return {};
  }
  if (row.integer(kNvtxEndThread).value_or(0) != 0) {
    slice.end_thread = thread_of(row, kNvtxEndThread, target.builder);
  }
  slice.domain = domain;
  slice.category = row.number32(kNvtxCategory).value_or(0);
  slice.color_argb = static_cast<std::uint32_t>(row.integer(kNvtxColor).value_or(0));
  slice.payload = payload_of(row);
  PROF_TRY(take_payload(row, target, slice));
  const auto text = text_of(row, target);
  if (!text) target.findings.damaged(kNvtxTable, "whose text is missing, kept without it");
  PROF_TRY(target.builder.set_text(slice, text.value_or("")));
  ++target.taken;
  return target.builder.add(slice);
}

Status take_name(TableRows& row, Target& target, Type type, DomainId domain) {
  const auto text = text_of(row, target);
  if (!text || text->empty()) {
    target.findings.damaged(kNvtxTable, "without the name that they give, left out");
    return {};
  }
  if (type == Type::kThread) {
    name_thread(row.integer(kNvtxThread).value_or(0), *text, target);
    return {};
  }
  const StringId name = target.builder.text(*text);
  if (type == Type::kDomainCreate) {
    if (domain == kDefaultDomain) return {};
    bool& is_defined = target.domains[domain.value - 1];
    if (!std::exchange(is_defined, true)) target.sink.on(DomainRecord{domain, name});
    return {};
  }
  NameRecord record;
  record.kind = NameRecord::Kind::kCategory;
  record.domain = domain;
  record.object = row.number32(kNvtxCategory).value_or(0);
  record.name = name;
  target.sink.on(record);
  return {};
}

Status take(TableRows& row, Target& target) {
  const auto number = row.integer(kNvtxType);
  if (!number) {
    target.findings.damaged(kNvtxTable, "without a type, left out");
    return {};
  }
  const auto type = static_cast<Type>(*number);
  const auto domain = domain_of(row, target);
  if (!domain) {
    target.findings.damaged(kNvtxTable, "of too many domains, left out");
    return {};
  }
  switch (type) {
    case Type::kMark:
    case Type::kPushPop:
    case Type::kStartEnd:
    case Type::kTextPushPop:
    case Type::kTextStartEnd:
      return take_event(row, target, type, *domain);
    case Type::kCategory:
    case Type::kThread:
    case Type::kDomainCreate:
      return take_name(row, target, type, *domain);
    case Type::kDomainDestroy:
      return {};
  }
  target.findings.other_nvtx(*number);
  return {};
}

constexpr std::array kNvtxSources = {RowSource{kNvtxTable, "globalTid", kColumns, take}};

}  // namespace

std::span<const RowSource> nvtx_sources() { return kNvtxSources; }

}  // namespace prof::importers::nsys
