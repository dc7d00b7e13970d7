// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/text_cases/player.hpp"

#include <charconv>
#include <sstream>

#include "tests/support/deflated.hpp"

namespace prof::text_cases {
namespace {

using fakes::FakeTrace;

Dim3 take_size(std::string_view& text, std::size_t line) {
  const std::string word(take_word(text));
  Dim3 size;
  char comma = 0;
  std::istringstream in(word);
  if (!(in >> size.x >> comma >> size.y >> comma >> size.z)) {
    throw CaseError{line, "a size is X,Y,Z"};
  }
  return size;
}

/// With an H200's numbers.
DeviceRow h200(std::string_view name) {
  DeviceRow device;
  device.name = name;
  device.compute_major = 9;
  device.sm_count = 132;
  device.core_clock_khz = 1'980'000;
  device.l2_bytes = 60U << 20;
  device.memory_bandwidth_bytes_per_s = 4'814'304'000'000;
  return device;
}

/// "AddmmBackward0" of "AddmmBackward0, seq = 12".
std::string_view node_name(std::string_view text) { return text.substr(0, text.find(',')); }

}  // namespace

void Player::play(const std::vector<Command>& program, std::uint32_t thread) {
  for (const Command& command : program) run(command, thread);
}

void Player::run(const Command& command, std::uint32_t thread) {
  line_ = command.line;
  Words words;
  words.thread = thread;
  std::string_view text = command.text;
  std::string_view verb = take_word(text);
  while (take_words(verb, text, words)) verb = take_word(text);
  if (run_range(command, verb, text, words)) return;
  if (!command.inside.empty()) throw CaseError{line_, "nothing can be inside of it"};
  if (run_work(verb, text, words) || run_graph(verb, text, words) || run_setting(verb, text))
    return;
  throw CaseError{line_, "no command: " + std::string(verb)};
}

bool Player::take_words(std::string_view verb, std::string_view& text, Words& words) {
  if (verb == "on") {
    words.thread = static_cast<std::uint32_t>(take_number(text));
  } else if (verb == "in") {
    words.domain = domain(take_word(text));
  } else if (verb == "as") {
    words.name = take_word(text);
  } else if (verb == "for") {
    words.duration_ns = take_number(text);
  } else if (verb == "seq") {
    words.sequence = static_cast<std::uint64_t>(take_number(text));
  } else if (verb == "from") {
    words.forward_thread = static_cast<std::uint32_t>(take_number(text));
  } else if (verb == "with") {  // SCHEMA,NUMBER,...
    std::string_view list = take_word(text);
    while (!list.empty()) {
      std::string_view number = list.substr(0, list.find(','));
      list.remove_prefix(std::min(number.size() + 1, list.size()));
      words.payload.push_back(take_unsigned(number));
    }
  } else {
    return false;
  }
  return true;
}

bool Player::run_range(const Command& command, std::string_view verb, std::string_view text,
                       const Words& words) {
  if (verb == "range") {
    hold(trace_.push(text, words.thread, words.domain), command, words);
  } else if (verb == "fact") {
    hold(trace_.push_op(text, words.sequence, words.thread, words.forward_thread), command, words);
  } else if (verb == "native") {
    hold(trace_.push(native_text(text), words.thread, words.domain), command, words);
  } else if (verb == "node") {
    trace_.push(
        "autograd::engine::evaluate_function: " + std::string(node_name(text)) + ", op_id = 900",
        words.thread);
    hold(trace_.push(text, words.thread), command, words);
    trace_.pop(words.thread);
  } else if (verb == "during") {  // a range of the process
    const std::int64_t begin = trace_.now_ns();
    play(command.inside, words.thread);
    trace_.process_range(text, begin, trace_.now_ns(), words.domain);
  } else if (verb == "repeat") {
    for (std::int64_t times = take_number(text); times > 0; --times)
      play(command.inside, words.thread);
  } else if (verb == "do") {
    const auto found = file_.programs.find(text);
    if (found == file_.programs.end()) throw CaseError{line_, "no def of that name"};
    play(found->second, words.thread);
  } else {
    return false;
  }
  return true;
}

void Player::describe(RangeId range, const Words& words) {
  if (!words.name.empty()) named_[range] = words.name;
  if (words.payload.empty()) return;
  trace_.payload(range, words.payload[0], {words.payload.begin() + 1, words.payload.end()});
}

void Player::hold(RangeId range, const Command& command, const Words& words) {
  describe(range, words);
  const std::size_t opened = open_[words.thread];
  play(command.inside, words.thread);
  if (open_[words.thread] != opened) throw CaseError{command.line, "a range in it is still open"};
  trace_.pop(words.thread);
}

/// "linear fprop x:in:32x4:float16 ...", then for some "part=weight" and "attrs={...}".
std::string Player::native_text(std::string_view text) {
  std::string_view rest = text;
  const std::string_view op = take_word(rest);
  std::string_view direction = take_word(rest);
  if (direction == "-") direction = {};
  std::string arguments;
  std::string_view part, attrs;
  while (!rest.empty()) {
    if (rest.starts_with("attrs=")) {
      attrs = rest.substr(6);
      break;
    }
    const std::string_view word = take_word(rest);
    if (word.starts_with("part=")) {
      part = word.substr(5);
    } else if (word.find(':') == word.npos) {
      throw CaseError{line_, "an argument is NAME:ROLE:SHAPE:TYPE"};
    } else {
      arguments.append(arguments.empty() ? "" : " ").append(word);
    }
  }
  return fakes::op_text(op, direction, arguments, part, attrs);
}

bool Player::run_work(std::string_view verb, std::string_view text, const Words& words) {
  const std::uint32_t thread = words.thread;
  if (verb == "kernel") {
    trace_.kernel(text, words.duration_ns, thread);
  } else if (verb == "launch") {
    const std::size_t arrow = text.find(" => ");
    describe(trace_.push(text.substr(0, arrow), thread, words.domain), words);
    trace_.kernel(arrow == text.npos ? "kernel" : text.substr(arrow + 4), words.duration_ns,
                  thread);
    trace_.pop(thread);
  } else if (verb == "open") {
    const bool is_native = text.starts_with("native ");
    describe(trace_.push(is_native ? native_text(text.substr(7)) : std::string(text), thread,
                         words.domain),
             words);
    ++open_[thread];
  } else if (verb == "pop") {
    for (std::int64_t levels = text.empty() ? 1 : take_number(text); levels > 0; --levels) {
      if (open_[thread] == 0) throw CaseError{line_, "no range is open"};
      --open_[thread];
      trace_.pop(thread);
    }
  } else if (verb == "pop_below") {
    const auto levels = static_cast<std::uint32_t>(take_number(text));
    if (open_[thread] <= levels) throw CaseError{line_, "so many ranges are not open"};
    trace_.pop_below(levels, thread);
    --open_[thread];
  } else if (verb == "copy") {
    trace_.memcpy(static_cast<std::uint64_t>(take_number(text)), words.duration_ns, thread);
  } else if (verb == "set") {
    trace_.memset(static_cast<std::uint64_t>(take_number(text)), words.duration_ns, thread);
  } else if (verb == "orphan") {
    trace_.orphan(text);
  } else if (verb == "driver_kernel") {
    const std::string_view function = take_word(text);
    trace_.row(trace_.kernel(text, words.duration_ns, thread)).function =
        trace_.new_string(function);
  } else {
    return false;
  }
  return true;
}

bool Player::run_graph(std::string_view verb, std::string_view text, const Words& words) {
  const std::uint32_t thread = words.thread;
  const auto graph = [&] { return static_cast<std::uint32_t>(take_number(text)); };
  if (verb == "make_node") {
    const std::uint64_t node = take_node(text);
    trace_.make_node(node, text.empty() ? 0 : take_node(text), thread);
  } else if (verb == "make_copy_node") {
    trace_.make_node(take_node(text), 0, thread);
    trace_.graph_events_.back().node_type = 1;
  } else if (verb == "make_kernel_node") {
    const std::uint64_t node = take_node(text);
    trace_.make_kernel_node(node, text);
  } else if (verb == "instantiate") {  // EXEC GRAPH NODES
    const std::uint32_t exec = graph(), of = graph(), nodes = graph();
    for (std::uint32_t i = 0; i < nodes; ++i) {
      trace_.make_node(FakeTrace::node_id(exec, i), FakeTrace::node_id(of, i), thread);
    }
  } else if (verb == "update_node") {
    const std::uint64_t node = take_node(text);
    trace_.update_node(node, text.empty() ? 0 : take_node(text), thread);
  } else if (verb == "begin_exec") {
    trace_.begin_exec(graph(), thread);
  } else if (verb == "end_exec") {
    trace_.end_exec(graph(), thread);
  } else if (verb == "end_graph") {
    trace_.end_graph(graph(), thread);
  } else if (verb == "launch_graph") {
    trace_.launch_graph(thread, text.empty() ? 0 : graph());
  } else if (verb == "replay") {
    const std::uint64_t node = take_node(text);
    trace_.replay(node, text);
  } else if (verb == "replay_at") {
    const std::int64_t start_ns = take_number(text);
    const std::uint64_t node = take_node(text);
    trace_.row(trace_.replay(node, text)).start_ns = start_ns;
  } else if (verb == "replay_copy") {
    trace_.row(trace_.replay(take_node(text), "")).kind = GpuRow::Kind::kMemcpy;
  } else if (verb == "body_at") {
    const std::int64_t start_ns = take_number(text);
    const std::uint64_t node = take_node(text);
    trace_.body(node, text, start_ns);
  } else if (verb == "whole_graph") {
    const std::uint32_t exec = graph();
    trace_.whole_graph(exec, text == "by_kernel");
  } else {
    return false;
  }
  return true;
}

bool Player::run_setting(std::string_view verb, std::string_view text) {
  if (verb == "grid") {
    const Dim3 size = take_size(text, line_);
    trace_.set_grid(text, size);
  } else if (verb == "block") {
    const Dim3 size = take_size(text, line_);
    trace_.set_block(text, size);
  } else if (verb == "advance") {
    trace_.advance_ns(take_number(text));
  } else if (verb == "meta") {
    const std::string key(take_word(text));
    trace_.metas_[key] = text;
  } else if (verb == "device") {
    trace_.devices_.push_back(h200(text));
  } else if (verb == "domain") {  // so that its number is the first, say
    domain(text);
  } else if (verb == "document") {
    const std::string kind(take_word(text)), name(take_word(text));
    trace_.document(kind, name, test::deflated(text));
  } else if (verb == "damaged_document") {
    const std::string kind(take_word(text)), name(take_word(text));
    trace_.document(kind, name, std::string(text));
  } else if (verb == "schema") {  // DOMAIN ID FIELD; FIELD; ...
    const DomainId of = domain(take_word(text));
    const auto id = static_cast<std::uint64_t>(take_number(text));
    std::vector<std::string> fields;
    for (std::size_t end = 0; !text.empty(); text.remove_prefix(std::min(end, text.size()))) {
      end = text.find("; ");
      fields.emplace_back(text.substr(0, end));
      if (end != text.npos) end += 2;
    }
    trace_.payload_schema(of, id, fields);
  } else {
    return false;
  }
  return true;
}

template <typename Number>
Number Player::take(std::string_view& text) {
  const std::string_view word = take_word(text);
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) {
    throw CaseError{line_, "a number is expected, not '" + std::string(word) + "'"};
  }
  return number;
}

/// "2.0": node 0 of graph 2.
std::uint64_t Player::take_node(std::string_view& text) {
  const std::string word(take_word(text));
  std::istringstream in(word);
  std::uint32_t graph = 0, number = 0;
  char dot = 0;
  if (!(in >> graph >> dot >> number) || dot != '.') {
    throw CaseError{line_, "a node is GRAPH.NUMBER, not '" + word + "'"};
  }
  return FakeTrace::node_id(graph, number);
}

DomainId Player::domain(std::string_view name) {
  const auto found = domains_.find(name);
  if (found != domains_.end()) return found->second;
  return domains_.emplace(name, trace_.domain(name)).first->second;
}

}  // namespace prof::text_cases
