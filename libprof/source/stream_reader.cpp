// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/stream_reader.hpp"

#include <deque>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>

#include "libprof/model/losses.hpp"
#include "libprof/model/records.hpp"
#include "libprof/source/base64.hpp"
#include "libprof/source/gz_lines.hpp"
#include "libprof/source/json_bounds.hpp"
#include "libprof/source/stream_writer.hpp"
#include "libprof/source/text_template.hpp"

namespace prof {
namespace {

using Json = nlohmann::json;

/// Fills a record's fields from one JSON object. problem() describes the first field of the wrong
/// type or out of range.
template <typename Record>
class FieldReader {
 public:
  FieldReader(const Json& line, Record& record, std::deque<std::string>& texts)
      : line_(line), record_(record), texts_(texts) {}

  template <typename Class, typename Value>
  void operator()(std::string_view name, Value Class::*field) {
    name_ = name;
    if constexpr (std::is_same_v<Value, std::string_view>) {
      text(record_.*field);
    } else if (const Json* const json = find(name)) {
      value(*json, record_.*field);
    }
  }

  template <auto Field>
  void operator()(std::string_view name, Numbers<Field>) {
    name_ = name;
    const Json* const json = find(name);
    if (json == nullptr) return;
    if (!json->is_array()) return fail("is not an array");
    std::string& numbers = texts_.emplace_back();
    for (const Json& number : *json) {
      if (!number.is_number_unsigned()) return fail("holds something other than whole numbers");
      numbers.append(encode_numbers({number.template get<std::uint64_t>()}));
    }
    record_.*Field = numbers;
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  const Json* find(std::string_view name) const {
    const auto found = line_.find(name);
    return found == line_.end() ? nullptr : &*found;
  }

  void fail(std::string_view why) {
    if (problem_.empty()) problem_ = "field \"" + std::string(name_) + "\" " + std::string(why);
  }

  void text(std::string_view& out) {
    if (const Json* const json = find(name_)) {
      if (!json->is_string()) return fail("is not a string");
      out = json->get_ref<const std::string&>();
    } else if (const Json* const base64 = find(std::string(name_) + "_base64")) {
      std::optional<std::string> bytes;
      if (base64->is_string()) bytes = decode_base64(base64->get_ref<const std::string&>());
      if (!bytes) return fail("is not base64");
      out = texts_.emplace_back(std::move(*bytes));
    }
  }

  void value(const Json& json, bool& out) {
    if (!json.is_boolean()) return fail("is not true or false");
    out = json.get<bool>();
  }

  template <std::integral Number>
  void value(const Json& json, Number& out) {
    using Limits = std::numeric_limits<Number>;
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      if (number > static_cast<std::uint64_t>(Limits::max())) return fail("is too large");
      out = static_cast<Number>(number);
    } else if (json.is_number_integer()) {
      const auto number = json.get<std::int64_t>();  // Negative: non-negative numbers are unsigned.
      if (std::is_unsigned_v<Number> || number < static_cast<std::int64_t>(Limits::min())) {
        return fail("is too small");
      }
      out = static_cast<Number>(number);
    } else {
      fail("is not a whole number");
    }
  }

  template <typename Value>
  void value(const Json& json, std::optional<Value>& out) {
    value(json, out.emplace());
  }

  template <typename Tag>
  void value(const Json& json, Id<Tag>& out) {
    value(json, out.value);
  }

  template <typename Enum>
  requires std::is_enum_v<Enum>
  void value(const Json& json, Enum& out) {
    std::underlying_type_t<Enum> number = 0;
    if (!json.is_string()) {
      value(json, number);
      out = static_cast<Enum>(number);
      return;
    }
    const auto& word = json.get_ref<const std::string&>();
    for (const std::string_view known : EnumWords<Enum>::kWords) {
      if (known == word) {
        out = static_cast<Enum>(number);
        return;
      }
      ++number;
    }
    fail("has an unknown word");
  }

  void value(const Json& json, Dim3& out) {
    if (!json.is_array() || json.size() != 3) return fail("is not an array of three");
    value(json[0], out.x);
    value(json[1], out.y);
    value(json[2], out.z);
  }

  void value(const Json& json, Payload& out) {
    if (!json.is_object()) return fail("is not an object");
    if (const auto type = json.find("type"); type != json.end()) value(*type, out.type);
    if (const auto bits = json.find("bits"); bits != json.end()) value(*bits, out.bits);
  }

  void value(const Json& json, OpFact& out) {
    if (!json.is_object()) return fail("is not an object");
    const auto part = [&](const char* name, auto& to) {
      if (const auto found = json.find(name); found != json.end()) value(*found, to);
    };
    part("signature", out.signature);
    part("sequence", out.sequence);
    part("forward_thread", out.forward_thread);
  }

  const Json& line_;
  Record& record_;
  std::deque<std::string>& texts_;  // Decoded bytes that the record's views point to.
  std::string_view name_;
  std::string problem_;
};

template <typename Record>
std::string pass(const Json& line, RecordSink& sink) {
  std::deque<std::string> texts;
  Record record{};
  FieldReader<Record> reader(line, record, texts);
  RecordKind<Record>::fields(reader);
  if (reader.problem().empty()) sink.on(record);
  return reader.problem();
}

enum class Known : bool { kNo, kYes };

/// Passes one line's record on, or sets `problem`.
Known pass_line(const Json& line, std::string_view word, RecordSink& sink, std::string& problem) {
#define PROF_PASS(Record)                  \
  if (word == RecordKind<Record>::kWord) { \
    problem = pass<Record>(line, sink);    \
    return Known::kYes;                    \
  }
  PROF_ALL_RECORDS(PROF_PASS)
#undef PROF_PASS
  return Known::kNo;
}

std::string check_header(const Json& line) {
  if (!line.is_object()) return "is not a record stream";
  const auto format = line.find("format");
  const auto version = line.find("version");
  if (format == line.end() || *format != kStreamFormat || version == line.end() ||
      !version->is_number_integer()) {
    return "is not a record stream";
  }
  if (version->get<std::int64_t>() > kStreamVersion || version->get<std::int64_t>() < 1) {
    return "is a record stream of version " + version->dump() + ", this program reads version " +
           std::to_string(kStreamVersion);
  }
  return {};
}

class Replayer {
 public:
  Replayer(const std::string& path, RecordSink& sink, FilePosition position)
      : path_(path), sink_(sink), lines_(path, std::move(position)) {}

  Result<ReplayStats> run() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty() && lines_.number() > 1) continue;
      if (const std::string_view excess = json_excess(line); !excess.empty()) {
        return error(std::string(excess) + ", unlike any record");
      }
      const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (json.is_discarded() && lines_.unended() && lines_.number() > 1) {
        stats_.truncated = true;
        break;
      }
      if (lines_.number() == 1) {
        const std::string problem =
            json.is_discarded() ? "is not a record stream" : check_header(json);
        if (!problem.empty()) return Error{problem, path_, ""};
        continue;
      }
      PROF_TRY(take(json));
      PROF_TRY(sink_.status());
    }
    return finish();
  }

 private:
  Error error(std::string what) const {
    return {std::move(what), path_ + ":" + std::to_string(lines_.number()), ""};
  }

  Status take(const Json& json) {
    if (json.is_discarded() || !json.is_object()) return error("is not a JSON object");
    const auto word = json.find("record");
    if (word == json.end() || !word->is_string()) return error("has no \"record\"");
    std::string problem;
    const Known known = pass_line(json, word->get_ref<const std::string&>(), sink_, problem);
    if (!problem.empty()) return error(problem);
    known == Known::kYes ? ++stats_.records : ++stats_.unknown_records;
    return {};
  }

  Result<ReplayStats> finish() {
    if (!lines_.problem().empty()) return Error{lines_.problem(), path_, ""};
    if (lines_.number() == 0) return Error{"is empty, not a record stream", path_, ""};
    stats_.truncated |= lines_.cut();
    if (stats_.unknown_records != 0) {
      LossRecord loss;
      loss.what = info(Loss::kUnknownRecord).word;
      loss.count = stats_.unknown_records;
      loss.detail = "record kinds unknown to this version";
      sink_.on(loss);
    }
    sink_.commit();
    PROF_TRY(sink_.status());
    return stats_;
  }

  std::string path_;
  RecordSink& sink_;
  GzLines lines_;
  ReplayStats stats_;
};

}  // namespace

Result<ReplayStats> replay(const std::string& path, RecordSink& sink, FilePosition position) {
  // nlohmann's parser does not throw here, but a malicious line may exhaust memory.
  try {
    return Replayer(path, sink, std::move(position)).run();
  } catch (const std::exception& exception) {
    return Error{std::string("cannot be read: ") + exception.what(), path, ""};
  }
}

bool is_record_stream(std::string_view first_bytes) {
  const std::string_view line = first_bytes.substr(0, first_bytes.find('\n'));
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return false;
  const auto format = json.find("format");
  return format != json.end() && *format == kStreamFormat;
}

}  // namespace prof
