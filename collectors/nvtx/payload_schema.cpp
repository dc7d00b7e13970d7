// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/nvtx/payload_schema.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "collectors/nvtx/nvtx_text.hpp"

namespace prof::collectors {
namespace {

/// More fields than any struct has; guards against a count that was never set.
constexpr std::size_t kMaxEntries = 1024;
constexpr std::size_t kMaxEnumEntries = 16'384;

struct TypeInfo {
  std::uint64_t type;
  std::string_view name;
  std::uint64_t bytes;
};

constexpr TypeInfo kTypes[] = {
    {NVTX_PAYLOAD_ENTRY_TYPE_CHAR, "char", sizeof(char)},
    {NVTX_PAYLOAD_ENTRY_TYPE_UCHAR, "uchar", sizeof(char)},
    {NVTX_PAYLOAD_ENTRY_TYPE_SHORT, "short", sizeof(short)},
    {NVTX_PAYLOAD_ENTRY_TYPE_USHORT, "ushort", sizeof(short)},
    {NVTX_PAYLOAD_ENTRY_TYPE_INT, "int", sizeof(int)},
    {NVTX_PAYLOAD_ENTRY_TYPE_UINT, "uint", sizeof(int)},
    {NVTX_PAYLOAD_ENTRY_TYPE_LONG, "long", sizeof(long)},
    {NVTX_PAYLOAD_ENTRY_TYPE_ULONG, "ulong", sizeof(long)},
    {NVTX_PAYLOAD_ENTRY_TYPE_LONGLONG, "longlong", sizeof(long long)},
    {NVTX_PAYLOAD_ENTRY_TYPE_ULONGLONG, "ulonglong", sizeof(long long)},
    {NVTX_PAYLOAD_ENTRY_TYPE_INT8, "int8", 1},
    {NVTX_PAYLOAD_ENTRY_TYPE_UINT8, "uint8", 1},
    {NVTX_PAYLOAD_ENTRY_TYPE_INT16, "int16", 2},
    {NVTX_PAYLOAD_ENTRY_TYPE_UINT16, "uint16", 2},
    {NVTX_PAYLOAD_ENTRY_TYPE_INT32, "int32", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_UINT32, "uint32", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_INT64, "int64", 8},
    {NVTX_PAYLOAD_ENTRY_TYPE_UINT64, "uint64", 8},
    {NVTX_PAYLOAD_ENTRY_TYPE_FLOAT, "float", sizeof(float)},
    {NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE, "double", sizeof(double)},
    {NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE, "longdouble", sizeof(long double)},
    {NVTX_PAYLOAD_ENTRY_TYPE_SIZE, "size", sizeof(std::size_t)},
    {NVTX_PAYLOAD_ENTRY_TYPE_ADDRESS, "address", sizeof(void*)},
    {NVTX_PAYLOAD_ENTRY_TYPE_WCHAR, "wchar", sizeof(wchar_t)},
    {NVTX_PAYLOAD_ENTRY_TYPE_CHAR8, "char8", 1},
    {NVTX_PAYLOAD_ENTRY_TYPE_CHAR16, "char16", 2},
    {NVTX_PAYLOAD_ENTRY_TYPE_CHAR32, "char32", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_BYTE, "byte", 1},
    {NVTX_PAYLOAD_ENTRY_TYPE_INT128, "int128", 16},
    {NVTX_PAYLOAD_ENTRY_TYPE_UINT128, "uint128", 16},
    {NVTX_PAYLOAD_ENTRY_TYPE_FLOAT16, "float16", 2},
    {NVTX_PAYLOAD_ENTRY_TYPE_FLOAT32, "float32", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_FLOAT64, "float64", 8},
    {NVTX_PAYLOAD_ENTRY_TYPE_FLOAT128, "float128", 16},
    {NVTX_PAYLOAD_ENTRY_TYPE_BF16, "bf16", 2},
    {NVTX_PAYLOAD_ENTRY_TYPE_TF32, "tf32", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY, "category", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB, "color_argb", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID, "scope_id", 8},
    {NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT32, "pid_uint32", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_PID_UINT64, "pid_uint64", 8},
    {NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32, "tid_uint32", 4},
    {NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64, "tid_uint64", 8},
    {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, "cstring", 0},
    {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8, "cstring_utf8", 0},
    {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16, "cstring_utf16", 0},
    {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32, "cstring_utf32", 0},
    {NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE, "registered_string", sizeof(void*)},
    {NVTX_PAYLOAD_ENTRY_TYPE_UNION_SELECTOR, "union_selector", 4},
};

const TypeInfo* find_type(std::uint64_t type) noexcept {
  const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [type](const TypeInfo& info) { return info.type == type; });
  return found == std::end(kTypes) ? nullptr : found;
}

bool is_cstring(std::uint64_t type) {
  return type >= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING && type <= NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32;
}

PayloadSchema::TextEntry::Encoding encoding_of(std::uint64_t type) {
  switch (type) {
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF16:
      return PayloadSchema::TextEntry::Encoding::kUtf16;
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32:
      return PayloadSchema::TextEntry::Encoding::kUtf32;
    default:
      return PayloadSchema::TextEntry::Encoding::kUtf8;
  }
}

std::uint64_t unit_bytes(PayloadSchema::TextEntry::Encoding encoding) {
  switch (encoding) {
    case PayloadSchema::TextEntry::Encoding::kUtf16:
      return 2;
    case PayloadSchema::TextEntry::Encoding::kUtf32:
      return 4;
    default:
      return 1;
  }
}

/// Length of the valid UTF-8 sequence at the beginning of `text`, 0: there is none.
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80                      ? 1
                             : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                             : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                             : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                                 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
  }
  if (length == 3 && byte(0) == 0xe0 && byte(1) < 0xa0) return 0;
  if (length == 3 && byte(0) == 0xed && byte(1) >= 0xa0) return 0;
  if (length == 4 && byte(0) == 0xf0 && byte(1) < 0x90) return 0;
  if (length == 4 && byte(0) == 0xf4 && byte(1) >= 0x90) return 0;
  return length;
}

/// Saturates: a product that does not fit is larger than any payload.
std::uint64_t times(std::uint64_t count, std::uint64_t bytes) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(count, bytes, &product) ? UINT64_MAX : product;
}

void append_number(MappedString& out, std::uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
}

void append_json(MappedString& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    std::size_t taken = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else if (const std::size_t length = utf8_sequence(text); length != 0) {
      out += text.substr(0, length);
      taken = length;
    } else {
      out += "\xef\xbf\xbd";
    }
    text.remove_prefix(taken);
  }
  out += '"';
}

/// Walks the entries of a schema: each one's offset and properties.
class SchemaReader {
 public:
  SchemaReader(const Domain& domain, std::uint64_t pack_align)
      : domain_(domain), pack_align_(pack_align) {}

  void add(const nvtxPayloadSchemaEntry_t& entry) {
    place(entry);
    read_text(entry);
    write_json(entry);
    first_ = false;
  }

  void finish(PayloadSchema& schema) {
    schema.fields_json = '[';
    schema.fields_json += json_;
    schema.fields_json += ']';
    schema.texts = std::move(texts_);
    schema.pointers_not_kept = pointers_not_kept_;
  }

 private:
  static constexpr std::uint64_t kArrayMask = 7U << 4;

  static bool is_pointer(const nvtxPayloadSchemaEntry_t& entry) {
    if ((entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_POINTER) != 0) return true;
    // A text with neither a length nor an array flag is a char*.
    return is_cstring(entry.type) && (entry.flags & kArrayMask) == 0 &&
           entry.arrayOrUnionDetail == 0;
  }

  /// Size of one element of the entry's type; 0: unknown.
  std::uint64_t element_bytes(std::uint64_t type) const {
    if (is_cstring(type)) return unit_bytes(encoding_of(type));
    if (const std::uint64_t bytes = type_bytes(type); bytes != 0) return bytes;
    const PayloadSchema* schema = ProgramObjects::find_schema(domain_, type);
    return schema == nullptr ? 0 : schema->static_bytes;
  }

  /// Sets offset_ and known_: an offset is given, or follows from alignment, or depends on the
  /// data.
  void place(const nvtxPayloadSchemaEntry_t& entry) {
    const bool pointer = is_pointer(entry);
    const std::uint64_t element = pointer ? sizeof(void*) : element_bytes(entry.type);
    std::uint64_t align =
        find_type(entry.type) != nullptr || pointer ? std::max<std::uint64_t>(1, element) : 8;
    if (pack_align_ != 0) align = std::min(align, pack_align_);
    if (entry.offset != 0 || first_) {
      offset_ = entry.offset;
      known_ = true;
    } else {
      known_ = next_known_ && next_ <= kMaxBlobBytes;
      if (known_) offset_ = (next_ + align - 1) / align * align;
    }
    const std::uint64_t kind = entry.flags & kArrayMask;
    const bool fixed = kind == 0 || kind == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE;
    const bool many = kind != 0 || is_cstring(entry.type);
    const std::uint64_t count = many && !pointer ? entry.arrayOrUnionDetail : 1;
    const std::uint64_t bytes = times(count, element);
    next_known_ = known_ && offset_ <= kMaxBlobBytes && bytes <= kMaxBlobBytes &&
                  (pointer || (fixed && element != 0));
    if (next_known_) next_ = offset_ + bytes;
  }

  void read_text(const nvtxPayloadSchemaEntry_t& entry) {
    stored_as_offset_ = false;
    PayloadSchema::TextEntry text;
    text.offset = offset_;
    text.encoding = encoding_of(entry.type);
    text.message = (entry.flags & NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE) != 0;
    const bool relative = (entry.flags & (NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE |
                                          NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE)) != 0;
    const std::uint64_t kind = entry.flags & kArrayMask;
    const bool is_text = is_cstring(entry.type);
    const bool is_registered = entry.type == NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE;
    if (is_registered && kind == 0 && !is_pointer(entry)) {
      text.how = PayloadSchema::TextEntry::How::kRegistered;
    } else if (is_text && is_pointer(entry) && kind != NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX) {
      text.how = PayloadSchema::TextEntry::How::kPointer;
    } else if (is_text && !relative &&
               (kind == 0 || kind == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE)) {
      text.how = PayloadSchema::TextEntry::How::kEmbedded;
      text.bytes = times(entry.arrayOrUnionDetail, unit_bytes(text.encoding));
    } else if (is_text && !relative && kind == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED) {
      text.how = PayloadSchema::TextEntry::How::kEmbedded;
      text.bytes = kMaxTextBytes;
    } else if (is_pointer(entry) && !is_text && kind == NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE &&
               element_bytes(entry.type) != 0) {
      text.how = PayloadSchema::TextEntry::How::kBytes;
      text.bytes = times(entry.arrayOrUnionDetail, element_bytes(entry.type));
    } else {
      // It points to data whose length only the data gives.
      if (is_pointer(entry)) pointers_not_kept_ = true;
      return;
    }
    if (!known_) {
      if (text.how != PayloadSchema::TextEntry::How::kEmbedded) pointers_not_kept_ = true;
      return;
    }
    stored_as_offset_ = text.how != PayloadSchema::TextEntry::How::kEmbedded;
    if (stored_as_offset_ || text.message) texts_.push_back(text);
  }

  void write_json(const nvtxPayloadSchemaEntry_t& entry) {
    if (!json_.empty()) json_ += ',';
    json_ += "{\"name\":";
    append_json(json_, to_string(entry.name));
    json_ += ",\"type\":";
    if (const TypeInfo* type = find_type(entry.type)) {
      append_json(json_, type->name);
    } else {
      json_ += "\"schema:";
      append_number(json_, entry.type);
      json_ += '"';
    }
    json_ += ",\"offset\":";
    if (known_) {
      append_number(json_, offset_);
    } else {
      json_ += "null";
    }
    json_ += ",\"array\":";
    append_number(json_, entry.arrayOrUnionDetail);
    json_ += ",\"flags\":";
    append_number(json_, entry.flags);
    if (stored_as_offset_) json_ += ",\"stored\":\"offset\"";
    json_ += '}';
  }

  const Domain& domain_;
  const std::uint64_t pack_align_;
  bool first_ = true;
  std::uint64_t offset_ = 0;
  bool known_ = false;
  std::uint64_t next_ = 0;
  bool next_known_ = false;
  bool stored_as_offset_ = false;
  bool pointers_not_kept_ = false;
  MappedString json_;
  MappedVector<PayloadSchema::TextEntry> texts_;
};

std::uint64_t own_id(std::uint64_t id) {
  return id >= NVTX_PAYLOAD_SCHEMA_ID_STATIC_START && id < NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START ? id
                                                                                                : 0;
}

}  // namespace

std::uint64_t type_bytes(std::uint64_t type) noexcept {
  const TypeInfo* info = find_type(type);
  return info == nullptr ? 0 : info->bytes;
}

std::optional<PayloadSchema> read_schema(const Domain& domain,
                                         const nvtxPayloadSchemaAttr_t& attributes) {
  const auto has = [&](std::uint64_t field) { return (attributes.fieldMask & field) != 0; };
  if (!has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES) ||
      !has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES) || attributes.entries == nullptr ||
      attributes.numEntries == 0 || attributes.numEntries > kMaxEntries) {
    return std::nullopt;
  }
  PayloadSchema schema;
  if (has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME)) schema.name = to_string(attributes.name);
  if (has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID)) schema.id = own_id(attributes.schemaId);
  if (has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE))
    schema.static_bytes = attributes.payloadStaticSize;
  SchemaReader reader(domain,
                      has(NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT) ? attributes.packAlign : 0);
  for (std::size_t i = 0; i < attributes.numEntries; ++i) reader.add(attributes.entries[i]);
  reader.finish(schema);
  return schema;
}

std::optional<PayloadSchema> read_enum(const nvtxPayloadEnumAttr_t& attributes) {
  const auto has = [&](std::uint64_t field) { return (attributes.fieldMask & field) != 0; };
  if (!has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_ENTRIES) ||
      !has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES) || attributes.entries == nullptr ||
      attributes.numEntries == 0 || attributes.numEntries > kMaxEnumEntries) {
    return std::nullopt;
  }
  PayloadSchema schema;
  if (has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_NAME)) schema.name = to_string(attributes.name);
  if (has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID)) schema.id = own_id(attributes.schemaId);
  if (has(NVTX_PAYLOAD_ENUM_ATTR_FIELD_SIZE)) schema.static_bytes = attributes.sizeOfEnum;
  for (std::size_t i = 0; i < attributes.numEntries; ++i) {
    const nvtxPayloadEnum_t& entry = attributes.entries[i];
    schema.fields_json += schema.fields_json.empty() ? "[{\"name\":" : ",{\"name\":";
    append_json(schema.fields_json, to_string(entry.name));
    schema.fields_json += ",\"value\":";
    append_number(schema.fields_json, entry.value);
    schema.fields_json += entry.isFlag != 0 ? ",\"is_flag\":true}" : ",\"is_flag\":false}";
  }
  schema.fields_json += "]";
  return schema;
}

}  // namespace prof::collectors
