// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/stream_writer.hpp"

#include <charconv>
#include <concepts>
#include <optional>
#include <type_traits>

#include "libprof/base/output_removal.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/base64.hpp"
#include "libprof/source/text_template.hpp"

namespace prof {
namespace {

constexpr std::size_t kBufferBytes = 64 * 1024;

template <std::integral Number>
void append_number(std::string& out, Number value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out.push_back('"');
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else if (code < 0x20 || code == 0x7f) {
      out.append("\\u00");
      out.push_back(kHex[code >> 4]);
      out.push_back(kHex[code & 15]);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

/// Appends `,"name":value` for each field that differs from its default.
template <typename Record>
class FieldWriter {
 public:
  FieldWriter(std::string& out, const Record& record) : out_(out), record_(record) {}

  template <typename Class, typename Value>
  void operator()(std::string_view name, Value Class::*field) {
    if (record_.*field == defaults_.*field) return;
    if constexpr (std::is_same_v<Value, std::string_view>) {
      text(name, record_.*field);
    } else {
      key(name);
      value(record_.*field);
    }
  }

  template <auto Field>
  void operator()(std::string_view name, Numbers<Field>) {
    const std::string_view numbers = record_.*Field;
    if (numbers.empty()) return;
    key(name);
    char separator = '[';
    for (const std::uint64_t number : decode_numbers(numbers)) {
      out_.push_back(separator);
      append_number(out_, number);
      separator = ',';
    }
    if (separator == '[') out_.push_back('[');
    out_.push_back(']');
  }

 private:
  void key(std::string_view name, std::string_view suffix = {}) {
    out_.append(",\"").append(name).append(suffix).append("\":");
  }

  void text(std::string_view name, std::string_view bytes) {
    if (is_utf8(bytes)) {
      key(name);
      append_escaped(out_, bytes);
    } else {
      key(name, "_base64");
      out_.push_back('"');
      append_base64(out_, bytes);
      out_.push_back('"');
    }
  }

  template <typename Value>
  void value(const std::optional<Value>& known) {
    value(*known);  // An absent one is the default, which is left out.
  }
  void value(bool flag) { out_.append(flag ? "true" : "false"); }
  template <std::integral Number>
  void value(Number number) {
    append_number(out_, number);
  }
  template <typename Tag>
  void value(Id<Tag> id) {
    append_number(out_, id.value);
  }
  template <typename Enum>
  requires std::is_enum_v<Enum>
  void value(Enum word) {
    const auto index = static_cast<std::size_t>(word);
    // A value outside the list (from a newer driver) is written as its number.
    if (index < EnumWords<Enum>::kWords.size()) {
      append_escaped(out_, EnumWords<Enum>::kWords[index]);
    } else {
      append_number(out_, index);
    }
  }
  void value(const Dim3& dim) {
    out_.push_back('[');
    append_number(out_, dim.x);
    out_.push_back(',');
    append_number(out_, dim.y);
    out_.push_back(',');
    append_number(out_, dim.z);
    out_.push_back(']');
  }
  void value(const Payload& payload) {
    out_.append("{\"type\":");
    value(payload.type);
    out_.append(",\"bits\":");
    append_number(out_, payload.bits);
    out_.push_back('}');
  }
  void value(const OpFact& op) {
    out_.append("{\"signature\":");
    value(op.signature);
    if (op.sequence) {
      out_.append(",\"sequence\":");
      append_number(out_, *op.sequence);
    }
    if (op.forward_thread) {
      out_.append(",\"forward_thread\":");
      value(op.forward_thread);
    }
    out_.push_back('}');
  }

  std::string& out_;
  const Record& record_;
  const Record defaults_{};
};

}  // namespace

Result<std::unique_ptr<StreamWriter>> StreamWriter::create(const std::string& path,
                                                           Existing existing) {
  Result<OutputFile> file = OutputFile::create(path, existing);
  if (!file) return file.error();
  std::unique_ptr<StreamWriter> writer(new StreamWriter(std::move(*file)));
  std::string& out = writer->buffer_;
  out.append(kStreamStart).append(",\"version\":");
  append_number(out, kStreamVersion);
  out.append("}\n");
  writer->flush();
  if (!writer->status_) return writer->status_.error();
  return writer;
}

StreamWriter::~StreamWriter() { flush(); }

template <typename Record>
void StreamWriter::take(const Record& record) {
  if (!status_) {
    ++lost_records_;
    return;
  }
  buffer_.append("{\"record\":\"").append(RecordKind<Record>::kWord).push_back('"');
  RecordKind<Record>::fields(FieldWriter<Record>(buffer_, record));
  buffer_.append("}\n");
  ++buffered_records_;
  if (buffer_.size() >= kBufferBytes) flush();
}

void StreamWriter::flush() {
  if (status_ && !buffer_.empty()) {
    status_ = file_.in_place()
                  ? file_.write(buffer_)
                  : Status{Error{"was removed, moved or replaced while it was written",
                                 file_.path(), "leave it alone until the capture has ended"}};
    if (!status_) lost_records_ += buffered_records_;
  }
  buffer_.clear();
  buffered_records_ = 0;
}

#define PROF_INSTANTIATE(Record) template void StreamWriter::take(const Record&);
PROF_ALL_RECORDS(PROF_INSTANTIATE)
#undef PROF_INSTANTIATE

}  // namespace prof
