// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/event_reader.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "tools/import/kineto/json_input.hpp"

namespace prof::importers {
namespace {

using EventJson = nlohmann::json;

constexpr std::size_t kMaxDepth = 64;
/// Limit for one event; the largest have a few values for each tensor of a list.
constexpr std::size_t kMaxValues = 1'000'000;
constexpr std::uint64_t kMaxEventBytes = std::uint64_t{64} << 20;

/// Turns the parser's reports into events. Levels: 1 the trace, 2 its array of events, 3 an event,
/// 4 its arguments. Lists nest further. A file that is the array itself begins at level 2.
class Handler final : public nlohmann::json_sax<EventJson> {
 public:
  Handler(JsonInput& input, const TraceVisitor& visitor) : input_(input), visitor_(visitor) {}

  bool null() override { return value({}); }
  bool boolean(bool is_true) override {
    return value({EventValue::Kind::kBool, is_true ? "true" : "false", {}});
  }
  bool number_integer(number_integer_t number) override {
    return value({EventValue::Kind::kNumber, std::to_string(number), {}});
  }
  bool number_unsigned(number_unsigned_t number) override {
    return value({EventValue::Kind::kNumber, std::to_string(number), {}});
  }
  bool number_float(number_float_t /*number*/, const string_t& digits) override {
    return value({EventValue::Kind::kNumber, digits, {}});
  }
  bool string(string_t& text) override {
    return value({EventValue::Kind::kText, std::move(text), {}});
  }
  bool binary(binary_t& /*bytes*/) override { return fail("has binary data"); }

  bool start_object(std::size_t /*elements*/) override {
    const bool is_event = depth_ == 2 && in_events_;
    if (depth_ == 2 && !in_events_) ++index_;
    if (is_event) {
      event_ = {};
      start_counting();
    }
    return enter();
  }
  bool key(string_t& name) override {
    input_.token_taken();
    if (depth_ == 1) {
      name_ = std::move(name);
      index_ = 0;
      start_counting();
    } else if (depth_ == 2 && !in_events_) {
      member_ = std::move(name);
    } else if (depth_ == 3) {
      field_ = std::move(name);
    } else if (depth_ == 4 && in_events_) {
      argument_ = std::move(name);
    }
    return true;
  }
  bool end_object() override {
    leave();
    if (depth_ != 2 || !in_events_) return true;
    ++events_;
    const Status status = visitor_.event(event_);
    if (status) return true;
    error_ = status.error();
    // The error is about the event, unless it names another place.
    if (error_.where.empty()) error_.what = "event " + std::to_string(events_) + " " + error_.what;
    return false;
  }
  bool start_array(std::size_t /*elements*/) override {
    if (depth_ == 0) {
      depth_ = kDepthOfEvents - 1;
      name_ = kEvents;
    }
    if (depth_ == 2 && in_events_) return fail("has an event that is not an object");
    const bool is_list = depth_ >= 3 || (depth_ == 2 && !in_events_);
    if (depth_ == kDepthOfEvents - 1) in_events_ = name_ == kEvents;
    has_events_ |= in_events_;
    if (is_list && !open_.empty()) {
      open_.push_back(&open_.back()->items.emplace_back());
    } else if (is_list) {
      list_ = {};
      open_.push_back(&list_);
    }
    if (is_list) open_.back()->kind = EventValue::Kind::kList;
    return enter();
  }
  bool end_array() override {
    leave();
    if (depth_ == 1) in_events_ = false;
    if (open_.empty()) return true;
    open_.pop_back();
    if (open_.empty()) keep(std::move(list_));
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& exception) override {
    reason_ = reason(exception.what());
    return false;
  }

  /// The file has a list of events, which may be empty.
  [[nodiscard]] bool has_events() const { return has_events_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// Why the text is no JSON, as far as that is known.
  [[nodiscard]] std::string_view reason() const { return reason_; }
  /// The error of the visitor or of the structure; empty if the text is not JSON.
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  static constexpr std::string_view kEvents = "traceEvents";
  static constexpr std::size_t kDepthOfEvents = 2;

  bool fail(std::string what) {
    error_.what = std::move(what);
    return false;
  }

  bool enter() {
    input_.token_taken();
    if (++depth_ > kMaxDepth) return fail("is nested more than 64 deep, unlike any trace");
    return count();
  }
  void leave() {
    input_.token_taken();
    --depth_;
  }
  void start_counting() {
    values_ = 0;
    begin_ = input_.position();
  }
  bool count() {
    if (depth_ <= 2 && in_events_) return true;
    if (input_.position() - begin_ > kMaxEventBytes) {
      return fail("has an event of more than 64 MiB");
    }
    if (++values_ > kMaxValues) return fail("has an event of more than 1,000,000 values");
    return true;
  }

  bool value(EventValue made) {
    input_.token_taken();
    if (depth_ == 1 && name_ == kEvents) return fail("has \"traceEvents\" that is not a list");
    if (depth_ == 2 && in_events_) return fail("has an event that is not an object");
    if (!count()) return false;
    if (!open_.empty()) {
      open_.back()->items.push_back(std::move(made));
    } else {
      keep(std::move(made));
    }
    return true;
  }

  /// A whole value, at its place.
  void keep(EventValue made) {
    if (!in_events_) return keep_fact(std::move(made));
    if (depth_ == 3) return keep_field(std::move(made));
    if (depth_ == 4 && field_ == "args") event_.args.push_back({argument_, std::move(made)});
  }

  void keep_fact(EventValue made) {
    TraceFact fact{name_, std::move(made), depth_ == 3 ? index_ - 1 : 0};
    if (depth_ == 2) fact.name += "." + member_;
    if (depth_ == 3) fact.name += "." + field_;
    if (depth_ <= 3) visitor_.fact(fact);
  }

  void keep_field(EventValue made) {
    if (EventValue* const whole = value_of(field_)) {
      *whole = std::move(made);
    } else if (std::string* const text = text_of(field_)) {
      if (text == &event_.name) {
        event_.has_name =
            made.kind != EventValue::Kind::kNone && made.kind != EventValue::Kind::kList;
      }
      *text = std::move(made.text);
    }
  }
  EventValue* value_of(std::string_view field) {
    if (field == "pid") return &event_.process;
    if (field == "tid") return &event_.thread;
    if (field == "ts") return &event_.start;
    if (field == "id") return &event_.id;
    return field == "dur" ? &event_.duration : nullptr;
  }
  std::string* text_of(std::string_view field) {
    if (field == "ph") return &event_.phase;
    if (field == "cat") return &event_.category;
    return field == "name" ? &event_.name : nullptr;
  }

  /// The part of the parser's own message that does not speak of its grammar.
  static std::string_view reason(std::string_view message) {
    const auto says = [message](std::string_view part) { return message.find(part) != part.npos; };
    if (says("invalid string")) return ": a text has an escape that JSON does not know";
    if (says("invalid literal")) return ": a word is not valid JSON";
    if (says("invalid number")) return ": a number is not valid JSON";
    return says("number overflow") ? ": a number is too large" : "";
  }

  JsonInput& input_;
  const TraceVisitor& visitor_;
  std::size_t depth_ = 0;
  // State of the current event, or of the current member of the trace:
  std::size_t values_ = 0;
  std::uint64_t begin_ = 0;  // where it is
  bool has_events_ = false;
  bool in_events_ = false;
  std::string name_, member_, field_, argument_;  // the last keys
  std::uint64_t index_ = 0;
  TraceEvent event_;
  EventValue list_;
  std::vector<EventValue*> open_;  // lists, outer ones first
  std::uint64_t events_ = 0;
  std::string_view reason_;  // static text
  Error error_;
};

}  // namespace

Result<ReadTrace> read_chrome_trace(const std::string& path, const TraceVisitor& visitor) {
  JsonInput input(path, visitor.position);
  Handler handler(input, visitor);
  const bool is_whole =
      EventJson::sax_parse(JsonInput::Iterator(input), JsonInput::Iterator(), &handler);
  if (!input.problem().empty()) return Error{input.problem(), path, ""};
  if (Error error = handler.error(); !error.what.empty()) {
    if (error.where.empty()) error.where = path;
    return error;
  }
  const JsonMender& mender = input.mender();
  ReadTrace read{handler.events(),  input.cut(),         mender.bytes(),
                 mender.controls(), mender.surrogates(), mender.numbers()};
  if (!is_whole && !input.at_end()) {
    const std::string where = "is not JSON at byte " + std::to_string(input.position());
    return Error{where + std::string(handler.reason()), path, ""};
  }
  if (!handler.has_events()) {
    return Error{"looks like JSON, but is neither a trace of torch.profiler nor a record stream",
                 path, "prof-import --help lists what it reads"};
  }
  read.is_cut |= !is_whole;
  return read;
}

bool is_kineto_trace(std::string_view first_bytes) {
  if (first_bytes.starts_with("\xEF\xBB\xBF")) first_bytes.remove_prefix(3);  // UTF-8's mark
  const auto next_is = [&first_bytes](std::string_view any_of) {
    first_bytes.remove_prefix(
        std::min(first_bytes.find_first_not_of(" \t\r\n"), first_bytes.size()));
    if (first_bytes.empty() || any_of.find(first_bytes.front()) == std::string_view::npos) {
      return false;
    }
    first_bytes.remove_prefix(1);
    return true;
  };
  if (next_is("{")) return next_is("\"}") || first_bytes.empty();
  return next_is("[") && (next_is("{]") || first_bytes.empty());
}

}  // namespace prof::importers
