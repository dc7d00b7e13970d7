// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/analyzers/fake_trace.hpp"

#include <algorithm>
#include <sstream>

namespace prof::fakes {

class FakeTrace::Cursor final : public GpuCursor {
 public:
  Cursor(const FakeTrace& trace, Work work) : trace_(trace), work_(work) {}

  const GpuRow* next() override {
    for (; at_ < trace_.rows_.size(); ++at_) {
      if (at_ >= trace_.fail_after_) {
        status_ = Error{"unreadable", trace_.path_, ""};
        return nullptr;
      }
      if (work_ == Work::kKernels && trace_.rows_[at_].kind != GpuRow::Kind::kKernel) continue;
      row_ = trace_.rows_[at_++];  // a copy: the last one dies with the next call, as it should
      return &row_;
    }
    return nullptr;
  }
  [[nodiscard]] Status status() const override { return status_; }

 private:
  const FakeTrace& trace_;
  const Work work_;
  std::size_t at_ = 0;
  GpuRow row_;
  Status status_;
};

RangeId FakeTrace::push(std::string_view text, std::uint32_t thread, DomainId domain) {
  auto& stack = stacks_[thread];
  RangeRow& range = ranges_.emplace_back();
  range.id = ranges_.size();
  range.parent = stack.empty() ? 0 : stack.back();
  range.thread = {thread};
  range.domain = domain;
  set_text(range, text);
  range.start_ns = ++now_ns_;
  stack.push_back(range.id);
  return range.id;
}

RangeId FakeTrace::push_op(std::string_view signature, std::optional<std::uint64_t> sequence,
                           std::uint32_t thread, std::uint32_t forward_thread) {
  const RangeId id = push("op", thread);
  OpFact& fact = ranges_.back().op;
  fact.signature = new_string(signature);
  fact.sequence = sequence;
  fact.forward_thread = ThreadId{forward_thread};
  numbered_ |= sequence.has_value();
  return id;
}

void FakeTrace::pop(std::uint32_t thread) {
  auto& stack = stacks_[thread];
  RangeRow* range = &ranges_[stack.back() - 1];
  range->end_ns = ++now_ns_;
  if (range->alias_of != 0 && range->alias_of <= ranges_.size()) {
    ranges_[range->alias_of - 1].end_ns = now_ns_;
  }
  stack.pop_back();
}

void FakeTrace::pop_below(std::uint32_t levels, std::uint32_t thread) {
  auto& stack = stacks_[thread];
  const std::size_t gone = stack.size() - 1 - levels;
  ranges_[stack[gone] - 1].end_ns = ++now_ns_;
  std::vector<RangeId> above(stack.begin() + static_cast<std::ptrdiff_t>(gone) + 1, stack.end());
  stack.resize(gone);
  for (const RangeId id : above) {
    RangeRow alias = ranges_[id - 1];
    alias.alias_of = id;
    alias.id = ranges_.size() + 1;
    alias.kind = RangeRecord::Kind::kAlias;
    alias.parent = stack.empty() ? 0 : stack.back();
    ranges_.push_back(alias);
    stack.push_back(alias.id);
  }
}

GpuRow& FakeTrace::launch(std::uint32_t thread, std::int64_t duration_ns) {
  GpuRow& row = rows_.emplace_back();
  row.correlation = row.launch = rows_.size();
  row.duration_ns = duration_ns;
  row.launched = true;
  row.thread = {thread};
  row.stack = stacks_[thread].empty() ? 0 : stacks_[thread].back();
  row.launch_start_ns = ++now_ns_;
  row.start_ns = now_ns_ + 10;
  return row;
}

ConfigId FakeTrace::config_of(std::string_view kernel) {
  if (const auto it = config_by_name_.find(kernel); it != config_by_name_.end()) return it->second;
  strings_.emplace_back(kernel);
  LaunchConfig& made = configs_.emplace_back();
  made.name = {static_cast<std::uint32_t>(strings_.size())};
  const ConfigId id{static_cast<std::uint32_t>(configs_.size())};
  config_by_name_.emplace(kernel, id);
  return id;
}

std::size_t FakeTrace::kernel(std::string_view name, std::int64_t duration_ns,
                              std::uint32_t thread) {
  const ConfigId config = config_of(name);
  launch(thread, duration_ns).config = config;
  return rows_.size() - 1;
}

std::size_t FakeTrace::memcpy(std::uint64_t bytes, std::int64_t duration_ns, std::uint32_t thread) {
  GpuRow& row = launch(thread, duration_ns);
  row.kind = GpuRow::Kind::kMemcpy;
  row.bytes = bytes;
  return rows_.size() - 1;
}

std::size_t FakeTrace::memset(std::uint64_t bytes, std::int64_t duration_ns, std::uint32_t thread) {
  const std::size_t index = memcpy(bytes, duration_ns, thread);
  rows_[index].kind = GpuRow::Kind::kMemset;
  return index;
}

GraphEventRow& FakeTrace::graph_event(GraphEventRow::Kind kind, std::uint32_t thread,
                                      std::uint64_t node, std::uint64_t other) {
  GraphEventRow& event = graph_events_.emplace_back();
  event.kind = kind;
  event.time_ns = ++now_ns_;
  event.thread = {thread};
  event.node = node;
  event.other = other;
  event.graph = static_cast<std::uint32_t>(node >> 32);
  event.stack = stacks_[thread].empty() ? 0 : stacks_[thread].back();
  return event;
}

void FakeTrace::make_kernel_node(std::uint64_t node, std::string_view kernel, Dim3 grid) {
  GraphEventRow& event = graph_event(GraphEventRow::Kind::kNode, 1, node);
  event.function = configs_[config_of(kernel).value - 1].name;
  event.grid = grid;
}

void FakeTrace::launch_graph(std::uint32_t thread, std::uint32_t told_exec) {
  graph_launch_ = launch(thread, 100);
  rows_.pop_back();
  graph_launch_.correlation = static_cast<Correlation>(now_ns_) + 1'000'000;  // above all rows
  graph_launch_.launch = graph_launch_.correlation;
  graph_launch_.origin = Origin::kGraph;
  if (told_exec == 0) return;
  graph_launches_.push_back({graph_launch_.correlation,
                             told_exec,
                             true,
                             graph_launch_.thread,
                             {},
                             graph_launch_.stack,
                             graph_launch_.launch_start_ns,
                             5});
}

std::size_t FakeTrace::body(std::uint64_t node, std::string_view kernel, std::int64_t start_ns) {
  GpuRow row;
  row.config = config_of(kernel);
  row.graph_node = node;
  row.graph = static_cast<std::uint32_t>(node >> 32);
  row.origin = Origin::kGraph;
  row.duration_ns = 5;
  row.start_ns = start_ns;
  // As in a trace: without correlation, so before the rest, by start.
  const auto later = [&](const GpuRow& one) {
    return one.correlation != 0 || one.start_ns > start_ns;
  };
  const auto at = rows_.insert(std::find_if(rows_.begin(), rows_.end(), later), row);
  return static_cast<std::size_t>(at - rows_.begin());
}

std::size_t FakeTrace::replay(std::uint64_t node, std::string_view kernel) {
  GpuRow row = graph_launch_;
  row.config = config_of(kernel);
  row.graph_node = node;
  row.graph = static_cast<std::uint32_t>(node >> 32);
  row.start_ns = graph_launch_.start_ns += 10;
  rows_.push_back(row);
  return rows_.size() - 1;
}

std::size_t FakeTrace::whole_graph(std::uint32_t exec, bool by_kernel) {
  const std::string name = "[CUDA graph " + std::to_string(exec) + "]";
  GpuRow row = by_kernel ? GpuRow{} : graph_launch_;
  row.origin = by_kernel ? Origin::kDevice : Origin::kGraph;
  row.config = config_of(name);
  row.graph = exec;
  row.duration_ns = 5000;
  set_grid(name, {0, 0, 0});
  rows_.push_back(row);
  return rows_.size() - 1;
}

std::size_t FakeTrace::orphan(std::string_view name) {
  const ConfigId config = config_of(name);
  GpuRow& row = rows_.emplace_back();
  row.config = config;
  row.duration_ns = 100;
  return rows_.size() - 1;
}

DomainId FakeTrace::domain(std::string_view name) {
  domains_.emplace_back(name);
  return {static_cast<std::uint32_t>(domains_.size() + 1)};
}

void FakeTrace::payload_schema(DomainId domain, std::uint64_t id,
                               const std::vector<std::string>& fields) {
  std::string json = "[";
  for (std::size_t i = 0; i < fields.size(); ++i) {
    json += i > 0 ? "," : "";
    json += R"({"name":")" + fields[i] + R"(","type":"uint64","offset":)" + std::to_string(8 * i) +
            R"(,"array":0,"flags":0})";
  }
  schemas_.push_back({domain, id, json + "]"});
}

void FakeTrace::payload(RangeId range, std::uint64_t schema,
                        const std::vector<std::uint64_t>& numbers) {
  std::string bytes;
  for (const std::uint64_t number : numbers) {
    for (unsigned shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift);
  }
  payload_bytes(range, schema, std::move(bytes));
}

void FakeTrace::payloads_of(RangeId id, const std::function<void(const PayloadRow&)>& visit) {
  for (const Blob& blob : payloads_) {
    if (blob.range == id) visit({blob.range, blob.domain, blob.schema, blob.bytes});
  }
}

void FakeTrace::payloads_with(DomainId domain, std::uint64_t schema,
                              const std::function<void(const PayloadRow&)>& visit) {
  for (const Blob& blob : payloads_) {
    if (blob.domain == domain && blob.schema == schema) {
      visit({blob.range, blob.domain, blob.schema, blob.bytes});
    }
  }
}

std::unique_ptr<GpuCursor> FakeTrace::gpu_work(Work work) {
  return std::make_unique<Cursor>(*this, work);
}

std::unique_ptr<RowCursor<const RangeSpanRow>> FakeTrace::all_ranges() {
  std::vector<RangeSpanRow> rows;
  for (const RangeRow& range : ranges_) {
    RangeSpanRow& row = rows.emplace_back();
    row.id = range.id;
    row.parent = range.parent;
    row.alias_of = range.alias_of;
    row.kind = range.kind;
    row.thread = range.thread;
    row.domain = range.domain;
    row.text = range.whole_text();
    row.start_ns = range.start_ns;
    if (range.end_ns) row.duration_ns = *range.end_ns - range.start_ns;
  }
  return cursor_over(std::move(rows));
}

std::string_view FakeTrace::string(StringId id) {
  return id.value == 0 || id.value > strings_.size() ? std::string_view{} : strings_[id.value - 1];
}

const LaunchConfig& FakeTrace::config(ConfigId id) {
  static const LaunchConfig none;
  return id.value == 0 || id.value > configs_.size() ? none : configs_[id.value - 1];
}

RangeRef FakeTrace::range(RangeId id) {
  ++range_lookups_;
  if (id == 0 || id > ranges_.size()) return {};
  // As with the real reader, only a RangeRef keeps the row and its numbers. Those that nobody holds
  // are overwritten, so that a view of them that outlives its row is seen.
  constexpr std::size_t kLooksBack = 64;
  const std::size_t first = given_.size() - std::min(given_.size(), kLooksBack);
  for (std::size_t i = first; i < given_.size(); ++i) {
    if (given_[i].use_count() > 1) continue;
    given_[i]->numbers.assign(given_[i]->numbers.size(), '\x7f');
    given_[i]->row = {};
  }
  const RangeRow& row = ranges_[id - 1];
  const auto& given = given_.emplace_back(std::make_shared<Given>(row, std::string(row.numbers)));
  given->row.numbers = given->numbers;
  return {given, &given->row};
}

RangeRef FakeTrace::range_after(RangeId id) { return range(id + 1); }

void FakeTrace::thread_ranges(const std::function<bool(DomainId, std::string_view)>& wants,
                              const std::function<void(const TextRangeRow&)>& visit) {
  for (const RangeRow& range : ranges_) {
    if (range.kind != RangeRecord::Kind::kPushPop || !wants(range.domain, range.text)) continue;
    visit({.id = range.id,
           .domain = range.domain,
           .text = std::string(range.text),
           .start_ns = range.start_ns,
           .end_ns = range.end_ns,
           .thread = range.thread,
           .end_thread = range.thread,
           .parent = range.parent,
           .signature = range.op.signature});
  }
}

std::unique_ptr<RowCursor<const StackPlaceRow>> FakeTrace::thread_stacks(
    const std::function<std::uint32_t(const StackFormRow&)>& number) {
  std::vector<StackPlaceRow> places;
  for (const RangeRow& range : ranges_) {
    if (range.kind != RangeRecord::Kind::kPushPop) continue;
    const std::uint32_t form = number({.thread = range.thread,
                                       .domain = range.domain,
                                       .text = range.text,
                                       .signature = range.op.signature});
    places.push_back({.id = range.id, .parent = range.parent, .form = form});
  }
  return cursor_over(std::move(places));
}

bool FakeTrace::has_numbered_ranges() { return numbered_; }

/// Split and interned as a capture does.
void FakeTrace::set_text(RangeRow& range, std::string_view text) {
  split_text(text, split_);
  const auto [it, is_new] =
      templates_.try_emplace(split_.text, static_cast<std::uint32_t>(templates_.size() + 1));
  range.template_id = it->second;
  range.text = it->first;
  if (split_.numbers.empty()) return;
  numbered_ = true;
  range.numbers = numbers_.emplace_back(split_.numbers);
}

std::string_view FakeTrace::domain_name(DomainId id) {
  return id.value < 2 ? std::string_view{} : std::string_view{domains_[id.value - 2]};
}

std::string op_text(std::string_view op, std::string_view direction, std::string_view args,
                    std::string_view part, std::string_view attrs) {
  std::ostringstream out;
  out << R"({"v":1,"mod":"prof","op":")" << op << '"';
  if (!direction.empty()) out << R"(,"dir":")" << direction << '"';
  if (!part.empty()) out << R"(,"part":")" << part << '"';
  out << R"(,"args":[)";
  std::istringstream in{std::string(args)};
  bool first = true;
  for (std::string arg; in >> arg; first = false) {
    std::istringstream fields(arg);
    std::string name, role, shape, dtype;
    std::getline(fields, name, ':');
    std::getline(fields, role, ':');
    std::getline(fields, shape, ':');
    std::getline(fields, dtype, ':');
    for (char& c : shape) c = c == 'x' ? ',' : c;
    if (shape == "-") shape.clear();
    out << (first ? "" : ",") << R"({"name":")" << name << R"(","role":")" << role
        << R"(","type":"tensor","shape":[)" << shape << R"(],"dtype":")" << dtype << R"("})";
  }
  out << "]";
  if (!attrs.empty()) out << R"(,"attrs":{)" << attrs << "}";
  out << "}";
  return out.str();
}

}  // namespace prof::fakes
