// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/kineto_import.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "libprof/base/count_text.hpp"
#include "libprof/model/losses.hpp"
#include "libprof/model/times.hpp"
#include "tools/import/builder/trace_builder.hpp"
#include "tools/import/kineto/capture_facts.hpp"
#include "tools/import/kineto/categories.hpp"
#include "tools/import/kineto/collective_calls.hpp"
#include "tools/import/kineto/convolution_outputs.hpp"
#include "tools/import/kineto/damage.hpp"
#include "tools/import/kineto/event_reader.hpp"
#include "tools/import/kineto/memory_mark.hpp"
#include "tools/import/kineto/numbers.hpp"
#include "tools/import/kineto/processes.hpp"
#include "tools/import/kineto/signature.hpp"
#include "tools/import/kineto/work_events.hpp"
#include "tools/import/registry.hpp"

namespace prof::importers {
namespace {

/// Arrows between events, names of rows, counters, instants: nothing that records hold.
constexpr std::string_view kIgnoredPhases[] = {"s", "t", "f", "M", "C", "i", "I", "R"};

constexpr std::string_view kModule = "nn.Module: ";
constexpr std::size_t kMaxUnknownWords = 16;
/// PyTorch's category of an arrow from an op to its backward node.
constexpr std::string_view kForwardBackward = "fwdbwd";

std::string joined(const std::map<std::string, std::uint64_t>& counts) {
  std::string list;
  for (const auto& [word, count] : counts) {
    list.append(list.empty() ? "" : ", ").append(word.empty() ? "none" : word);
    list.append(" (").append(std::to_string(count)).append(")");
  }
  return list;
}

class Import {
 public:
  Import(const Source& source, RecordSink& sink)
      : path_(source.path),
        position_(source.position),
        sink_(sink),
        builder_(sink, source.scratch_folder),
        process_(source.process),
        all_(source.all) {}

  Result<Imported> run() {
    const TraceVisitor visitor = {[this](const TraceFact& fact) { facts_.take(fact); },
                                  [this](const TraceEvent& event) { return take(event); },
                                  position_};
    // Times count from a fact that may come after the events.
    Result<ReadTrace> read = read_chrome_trace(path_, visitor);
    if (!read) return read.error();
    damage_.count(Damage::Kind::kBadByte, read->mended_bytes);
    damage_.count(Damage::Kind::kControlCharacter, read->mended_controls);
    damage_.count(Damage::Kind::kSurrogate, read->mended_surrogates);
    damage_.count(Damage::Kind::kNoNumber, read->mended_numbers);
    if (taken_ == 0)
      return Error{nothing_taken(*read), path_, "name a trace that torch.profiler exported"};
    facts_.pass_to(sink_, is_whole());
    sink_.on(DomainRecord{kDefaultDomain, {}});
    if (processes_.size() == 1) {
      const std::string& name = *processes_.begin();
      sink_.on(MetaRecord{"pid", std::to_string(pid_in(name))});
      if (!is_whole()) sink_.on(MetaRecord{"kineto.process", name});
    }
    if (has_sequences_) builder_.forget_flows();
    builder_.complete_signatures([this](StringId signature, std::uint64_t sequence) {
      const auto completed = convolutions_.completed(signature.value, sequence);
      const StringId text = completed ? builder_.text(*completed) : signature;
      return text != kOverflowString ? text : signature;
    });
    const Result<TraceBuilder::Counts> built = builder_.finish(facts_.base_ns());
    if (!built) return built.error();
    counts_ = *built;
    report_losses();
    if (!read->is_cut) sink_.on(MetaRecord{"ended", "stop"});
    PROF_TRY(sink_.status());
    return Imported{.records = built->records,
                    .warning = warning(*read),
                    .why_no_work =
                        "it was recorded without ProfilerActivity.CUDA, or no GPU call "
                        "was made meanwhile"};
  }

 private:
  Status take(const TraceEvent& event) {
    if (event.phase != "X") {
      if (event.phase == "M") name_thread(event);
      if (event.category == kForwardBackward) return take_flow(event);
      if (const auto mark = memory_mark(event)) return take_mark(event, *mark);
      if (std::ranges::find(kIgnoredPhases, event.phase) == std::end(kIgnoredPhases)) {
        count_unknown(event.phase.empty() ? "no phase" : "phase " + event.phase);
      }
      return {};
    }
    const std::optional<Category> known = category_of(event);
    if (!known) {
      count_unknown(event.category);
      return {};
    }
    return take(event, *known);
  }

  Status take(const TraceEvent& event, Category category) {
    if (category == Category::kIgnored) return {};
    if (category == Category::kPython && !event.name.starts_with(kModule)) return {};
    const auto start = nanoseconds(event.start);
    const bool has_duration = event.duration.kind != EventValue::Kind::kNone;
    auto length = has_duration ? nanoseconds(event.duration) : 0;
    const auto leave_out = [this](Damage::Kind why) {
      damage_.count(why);
      return Status{};
    };
    if (!event.has_name) return leave_out(Damage::Kind::kNoName);
    if (!start) return leave_out(Damage::Kind::kNoTime);
    if (!length) return leave_out(Damage::Kind::kNoDuration);
    if (*length < 0) {
      // An op that never ended still is the one that GPU work names.
      if (category != Category::kOp) return leave_out(Damage::Kind::kNegative);
      damage_.count(Damage::Kind::kUnfinishedOp);
      length = 0;
    }
    if (is_on_host(category) && !(id_of(event.process) && id_of(event.thread))) {
      return leave_out(Damage::Kind::kNoThread);
    }
    const Whose whose = whose_is(event, category);
    if (whose == Whose::kOther) return {};
    Span span = {*start, sum_of_times(*start, *length)};
    if (!is_on_host(category) && *start == 0 && *length == 0) {
      span = {TraceBuilder::kNoTime, TraceBuilder::kNoTime};
    }
    const std::uint64_t op = op_of(event);
    ++taken_;
    switch (category) {
      case Category::kKernel: {
        KernelRecord record = work_.kernel_of(event, span);
        record.name = builder_.text(event.name);
        if (whose == Whose::kOwn) state_collective(event, record.correlation, op);
        return add_work(record, op, whose);
      }
      case Category::kMemcpy:
        return add_work(work_.memcpy_of(event, span), op, whose);
      case Category::kMemset:
        return add_work(work_.memset_of(event, span), op, whose);
      case Category::kSync:
        return add_work(work_.sync_of(event, span), 0, whose);
      case Category::kOverhead: {
        const std::uint32_t tid = Numbers32(event, damage_).of(&event.thread);
        return builder_.add(
            OverheadRecord{builder_.text(event.name), tid, span.start_ns, span.end_ns});
      }
      default:
        return take_slice(event, category, span, op);
    }
  }

  /// The file is of one process.
  [[nodiscard]] bool is_whole() const { return process_.name.empty(); }

  enum class Whose : std::uint8_t { kOwn, kOther, kUnknown };
  /// Events whose process is unknown belong to the first process's trace.
  [[nodiscard]] Whose whose_is(const TraceEvent& event, Category category) const {
    if (is_whole()) return Whose::kOwn;
    const std::string& name = event.process.text;
    const auto has = [&](const Process& process) {
      if (!is_on_gpu(category)) return process.name == name;
      return std::ranges::find(process.devices, name) != process.devices.end();
    };
    if (has(process_)) return Whose::kOwn;
    const bool is_first = process_.id == all_.front().id;
    return std::ranges::any_of(all_, has) || !is_first ? Whose::kOther : Whose::kUnknown;
  }

  /// Work of an unknown process has no launch: its number may be that of another one's.
  template <typename Record>
  Status add_work(Record record, std::uint64_t op, Whose whose) {
    if (whose == Whose::kOwn) return builder_.add(record, op);
    ++of_unknown_process_;
    record.correlation = 0;
    return builder_.add(record);
  }

  void state_collective(const TraceEvent& kernel, std::uint64_t correlation, std::uint64_t op) {
    auto call = collectives_.call_of(kernel, op);
    if (!call || correlation == 0) return;
    call->record.correlation = correlation;
    call->record.operation = builder_.text(call->operation);
    sink_.on(call->record);
  }

  /// The number of a process or a thread; names that are texts get numbers that no system call
  /// gives.
  std::optional<std::uint64_t> id_of(const EventValue& name) {
    if (const auto number = name.whole()) return number;
    const bool is_text = name.kind == EventValue::Kind::kText && !name.text.empty();
    if (!is_text) return std::nullopt;
    return std::uint64_t{1} << 63 | names_.of(name);
  }

  /// The file's number of the op that the event is or works for; 0: not stated. Until torch 2.1,
  /// GPU work repeats its correlation there.
  static std::uint64_t op_of(const TraceEvent& event) {
    const auto id = event.number("External id");
    return id && id != event.number("correlation") ? *id : 0;
  }

  Status take_slice(const TraceEvent& event, Category category, Span span, std::uint64_t op) {
    if (processes_.size() < kMaxProcesses) processes_.insert(event.process.text);
    Slice slice;
    slice.thread =
        builder_.thread(id_of(event.process).value_or(0), id_of(event.thread).value_or(0));
    slice.start_ns = span.start_ns;
    slice.end_ns = span.end_ns;
    slice.name = builder_.text(event.name);
    if (category == Category::kRuntimeCall || category == Category::kDriverCall) {
      slice.kind =
          category == Category::kDriverCall ? Slice::Kind::kDriverCall : Slice::Kind::kRuntimeCall;
      slice.correlation = correlation_of(event);
      slice.launches_graph = event.name.find("GraphLaunch") != std::string::npos;
    } else {
      slice.op = op;
      slice.is_annotation = category == Category::kAnnotation;
    }
    if (category == Category::kOp) collectives_.take_op(event, op);
    if (category == Category::kOp || is_communication(event)) add_facts(event, slice);
    return builder_.add(slice);
  }

  Status take_mark(const TraceEvent& event, const std::string& text) {
    const auto time = nanoseconds(event.start);
    const auto process = id_of(event.process);
    const auto thread = id_of(event.thread);
    if (!time || !process || !thread) {
      damage_.count(time ? Damage::Kind::kNoThread : Damage::Kind::kNoTime);
      return {};
    }
    if (!is_whole() && event.process.text != process_.name) return {};
    ++taken_;
    Slice slice;
    slice.kind = Slice::Kind::kMark;
    slice.thread = builder_.thread(*process, *thread);
    slice.start_ns = slice.end_ns = *time;
    PROF_TRY(builder_.set_text(slice, text));
    return builder_.add(slice);
  }

  /// ProcessGroupNCCL's range around a launch states tensors as ops do.
  static bool is_communication(const TraceEvent& event) {
    return event.name.starts_with("nccl:") && event.arg("Input Dims") != nullptr;
  }

  void add_facts(const TraceEvent& event, Slice& slice) {
    slice.forward_thread = Numbers32(event, damage_)("Fwd thread id");
    const auto sequence = event.number("Sequence number");
    slice.has_sequence = sequence && static_cast<std::int64_t>(*sequence) >= 0;
    if (slice.has_sequence) slice.sequence = *sequence;
    has_sequences_ |= slice.has_sequence;
    if (event.name.empty()) return damage_.count(Damage::Kind::kNamelessOp);
    const std::string signature = signature_of(event, slice.forward_thread != 0);
    const StringId text = builder_.text(signature);
    if (text != kOverflowString) slice.signature = text;
    convolutions_.take(event, text.value, signature);
  }

  /// The numbers of ops say the same and more: arrows count only in files without any.
  Status take_flow(const TraceEvent& event) {
    const auto process = id_of(event.process);
    const auto thread = id_of(event.thread);
    const auto id = event.id.whole();
    const auto time = nanoseconds(event.start);
    const bool is_end = event.phase == "f";
    if (has_sequences_ || !process || !thread || !id || !time) return {};
    if (!is_whole() && event.process.text != process_.name) return {};
    if (!is_end && event.phase != "s") return {};
    return builder_.add(Flow{*time, builder_.thread(*process, *thread), *id, is_end});
  }

  void name_thread(const TraceEvent& event) {
    const auto process = id_of(event.process);
    const auto thread = id_of(event.thread);
    const EventValue* const name = event.arg("name");
    if (event.name != "thread_name" || !process || !thread || name == nullptr) return;
    builder_.name_thread(*process, *thread, name->text);
  }

  void count_unknown(const std::string& word) {
    ++unknown_;
    if (unknown_words_.size() < kMaxUnknownWords || unknown_words_.contains(word)) {
      ++unknown_words_[word.substr(0, kMaxWordBytes)];
    }
  }

  void report_losses() {
    damage_.report(sink_);
    if (of_unknown_process_ != 0) {
      LossRecord loss;
      loss.what = info(Loss::kAmbiguousLaunch).word;
      loss.count = of_unknown_process_;
      loss.detail = "of GPUs that several processes of the file may have used";
      sink_.on(loss);
    }
    if (unknown_ == 0) return;
    const std::string detail = "events of " + unknown_kinds();
    LossRecord loss;
    loss.what = info(Loss::kUnknownRecord).word;
    loss.count = unknown_;
    loss.detail = detail;
    sink_.on(loss);
  }
  [[nodiscard]] std::string unknown_kinds() const {
    return "kinds unknown to this version: " + joined(unknown_words_);
  }
  [[nodiscard]] std::string nothing_taken(const ReadTrace& read) const {
    if (damage_.any()) return "has no event that can be imported: " + damage_.text();
    std::string what = "has ";
    if (read.is_cut) what = "is cut off, and has up to there ";
    if (read.events == 0) return what + "no events";
    what += count_text(read.events, "event", "events") + ", but none of torch.profiler";
    return unknown_ == 0 ? what : what + "; " + unknown_kinds();
  }

  [[nodiscard]] std::string warning(const ReadTrace& read) const {
    std::string line;
    const auto add = [&line](const std::string& part) {
      line.append(line.empty() ? "" : "; ").append(part);
    };
    if (read.is_cut) add("is cut off; everything before the cut was imported");
    if (facts_.has_unreadable_base()) {
      add("\"baseTimeNanoseconds\" is not a whole number; times count from 0");
    }
    if (damage_.any()) add(damage_.text());
    for (const auto& [loss, count] :
         {std::pair(Loss::kImpossibleDuration, counts_.impossible_durations),
          std::pair(Loss::kAmbiguousLaunch, counts_.ambiguous_launches + of_unknown_process_)}) {
      if (count == 0) continue;
      add(count_text(count, info(loss).noun, std::string(info(loss).noun) + "s")
              .append(" ")
              .append(info(loss).text));
    }
    if (unknown_ != 0) add(count_text(unknown_, "event", "events") + " of " + unknown_kinds());
    return line.empty() ? line : path_ + ": " + line;
  }

  static constexpr std::size_t kMaxProcesses = 2;  // More are as good as several.
  static constexpr std::size_t kMaxWordBytes = 64;

  const std::string path_;
  const FilePosition position_;
  RecordSink& sink_;
  TraceBuilder builder_;
  CaptureFacts facts_;
  TraceBuilder::Counts counts_;
  std::uint64_t taken_ = 0;
  std::uint64_t unknown_ = 0;
  bool has_sequences_ = false;  // some op has a sequence number
  Damage damage_;
  WorkEvents work_{damage_};
  CollectiveCalls collectives_;
  ConvolutionOutputs convolutions_;
  const Process process_;
  const std::span<const Process> all_;
  NumberedNames names_;  // of processes and threads
  std::uint64_t of_unknown_process_ = 0;
  std::map<std::string, std::uint64_t> unknown_words_;
  std::set<std::string> processes_;  // of host threads
};

}  // namespace

Result<Imported> import_kineto(const Source& source, RecordSink& sink) {
  // nlohmann's parser reports problems without throwing, but memory may be exhausted.
  try {
    return Import(source, sink).run();
  } catch (const std::exception& exception) {
    return Error{std::string("cannot be read: ") + exception.what(), source.path, ""};
  }
}

void register_kineto_import(Registry& registry);
void register_kineto_import(Registry& registry) {
  registry.add({.name = "kineto",
                .help = "trace of torch.profiler (Chrome trace, plain or gzip)",
                .sniff = is_kineto_trace,
                .processes = kineto_processes,
                .read = import_kineto});
}

}  // namespace prof::importers
