// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/import/kineto/kineto_import.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "libprof/base/counted.hpp"
#include "libprof/model/losses.hpp"
#include "libprof/model/times.hpp"
#include "tools/import/builder/trace_builder.hpp"
#include "tools/import/kineto/capture_facts.hpp"
#include "tools/import/kineto/damage.hpp"
#include "tools/import/kineto/event_reader.hpp"
#include "tools/import/kineto/numbers.hpp"
#include "tools/import/kineto/signature.hpp"
#include "tools/import/kineto/work_events.hpp"

namespace prof::importers {
namespace {

enum class Category : std::uint8_t {
  kOp,
  kAnnotation,
  kRuntimeCall,
  kDriverCall,
  kPython,
  kKernel,
  kMemcpy,
  kMemset,
  kSync,
  kOverhead,
  kIgnored,
};

struct CategoryWord {
  std::string_view word;
  Category category;
};
/// Of events with a duration. Capitalized: until torch 1.9.
constexpr std::array kCategories = {
    CategoryWord{"cpu_op", Category::kOp},
    CategoryWord{"Operator", Category::kOp},
    CategoryWord{"user_annotation", Category::kAnnotation},
    CategoryWord{"cuda_runtime", Category::kRuntimeCall},
    CategoryWord{"Runtime", Category::kRuntimeCall},
    CategoryWord{"cuda_driver", Category::kDriverCall},
    CategoryWord{"python_function", Category::kPython},
    CategoryWord{"kernel", Category::kKernel},
    CategoryWord{"Kernel", Category::kKernel},
    CategoryWord{"gpu_memcpy", Category::kMemcpy},
    CategoryWord{"Memcpy", Category::kMemcpy},
    CategoryWord{"gpu_memset", Category::kMemset},
    CategoryWord{"Memset", Category::kMemset},
    CategoryWord{"cuda_sync", Category::kSync},
    CategoryWord{"overhead", Category::kOverhead},
    // Times of other events, seen from the GPU, and of the profiler itself.
    CategoryWord{"gpu_user_annotation", Category::kIgnored},
    CategoryWord{"Trace", Category::kIgnored},
};
/// Arrows between events, names of rows, counters, instants: nothing that records hold.
constexpr std::string_view kIgnoredPhases[] = {"s", "t", "f", "M", "C", "i", "I", "R"};

constexpr std::string_view kModule = "nn.Module: ";
constexpr std::size_t kMaxUnknownWords = 16;
/// What PyTorch calls an arrow from an op to the node of its backward.
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
        builder_(sink, source.scratch_folder) {}

  Result<Imported> run() {
    const TraceVisitor visitor = {[this](const TraceFact& fact) { facts_.take(fact); },
                                  [this](const TraceEvent& event) { return take(event); },
                                  position_};
    // Times count from a fact that may come after the events.
    Result<ReadTrace> read = read_chrome_trace(path_, visitor);
    if (!read) return read.error();
    damage_.count(Damage::Kind::kBadByte, read->mended_bytes);
    damage_.count(Damage::Kind::kNoNumber, read->mended_numbers);
    if (taken_ == 0)
      return Error{nothing_taken(*read), path_, "name a trace that torch.profiler exported"};
    facts_.pass_to(sink_);
    sink_.on(DomainRecord{kDefaultDomain, {}});
    if (processes_.size() == 1) {
      sink_.on(MetaRecord{"pid", std::to_string(*processes_.begin())});
    }
    if (has_sequences_) builder_.forget_flows();
    const Result<TraceBuilder::Counts> built = builder_.finish(facts_.base_ns());
    if (!built) return built.error();
    report_losses();
    if (!read->is_cut) sink_.on(MetaRecord{"ended", "stop"});
    PROF_TRY(sink_.status());
    return Imported{built->records, warning(*read)};
  }

 private:
  Status take(const TraceEvent& event) {
    if (event.phase != "X") {
      if (event.phase == "M") name_thread(event);
      if (event.category == kForwardBackward) return take_flow(event);
      if (std::ranges::find(kIgnoredPhases, event.phase) == std::end(kIgnoredPhases)) {
        count_unknown(event.phase.empty() ? "no phase" : "phase " + event.phase);
      }
      return {};
    }
    const auto* const known = std::ranges::find(kCategories, event.category, &CategoryWord::word);
    if (known == kCategories.end()) {
      count_unknown(event.category);
      return {};
    }
    return take(event, known->category);
  }

  Status take(const TraceEvent& event, Category category) {
    if (category == Category::kIgnored) return {};
    if (category == Category::kPython && !event.name.starts_with(kModule)) return {};
    const auto start = nanoseconds(event.start);
    const bool has_duration = event.duration.kind != EventValue::Kind::kNone;
    const auto length = has_duration ? nanoseconds(event.duration) : 0;
    const auto leave_out = [this](Damage::Kind why) {
      damage_.count(why);
      return Status{};
    };
    if (!event.has_name) return leave_out(Damage::Kind::kNoName);
    if (!start) return leave_out(Damage::Kind::kNoTime);
    if (!length) return leave_out(Damage::Kind::kNoDuration);
    if (*length < 0) return leave_out(Damage::Kind::kNegative);
    if (is_on_host(category) && !(event.process.whole() && event.thread.whole())) {
      return leave_out(Damage::Kind::kNoThread);
    }
    const Span span = {*start, sum_of_times(*start, *length)};
    const std::uint64_t op = op_of(event);
    ++taken_;
    switch (category) {
      case Category::kKernel: {
        KernelRecord record = kernel_of(event, span, damage_);
        record.name = builder_.text(event.name);
        return builder_.add(record, op);
      }
      case Category::kMemcpy:
        return builder_.add(memcpy_of(event, span, damage_), op);
      case Category::kMemset:
        return builder_.add(memset_of(event, span, damage_), op);
      case Category::kSync:
        return builder_.add(sync_of(event, span, damage_));
      case Category::kOverhead: {
        const std::uint32_t tid = Numbers32(event, damage_).of(&event.thread);
        return builder_.add(
            OverheadRecord{builder_.text(event.name), tid, span.start_ns, span.end_ns});
      }
      default:
        return take_slice(event, category, span, op);
    }
  }

  static bool is_on_host(Category category) {
    return category == Category::kOp || category == Category::kAnnotation ||
           category == Category::kPython || category == Category::kRuntimeCall ||
           category == Category::kDriverCall;
  }

  /// The file's number of the op that the event is or works for; 0: not stated. Until torch 2.1,
  /// GPU work repeats its correlation there.
  static std::uint64_t op_of(const TraceEvent& event) {
    const auto id = event.number("External id");
    return id && id != event.number("correlation") ? *id : 0;
  }

  Status take_slice(const TraceEvent& event, Category category, Span span, std::uint64_t op) {
    const std::uint64_t process = event.process.whole().value_or(0);
    if (processes_.size() < kMaxProcesses) processes_.insert(process);
    Slice slice;
    slice.thread = builder_.thread(process, event.thread.whole().value_or(0));
    slice.start_ns = span.start_ns;
    slice.end_ns = span.end_ns;
    slice.name = builder_.text(event.name);
    if (category == Category::kRuntimeCall || category == Category::kDriverCall) {
      slice.kind =
          category == Category::kDriverCall ? Slice::Kind::kDriverCall : Slice::Kind::kRuntimeCall;
      slice.correlation = correlation_of(event);
    } else {
      slice.op = op;
    }
    if (category == Category::kOp) add_facts(event, slice);
    return builder_.add(slice);
  }

  void add_facts(const TraceEvent& event, Slice& slice) {
    slice.forward_thread = Numbers32(event, damage_)("Fwd thread id");
    const auto sequence = event.number("Sequence number");
    slice.has_sequence = sequence && static_cast<std::int64_t>(*sequence) >= 0;
    if (slice.has_sequence) slice.sequence = *sequence;
    has_sequences_ |= slice.has_sequence;
    if (event.name.empty()) return damage_.count(Damage::Kind::kNamelessOp);
    const StringId text = builder_.text(signature_of(event, slice.forward_thread != 0));
    if (text != kOverflowString) slice.signature = text;
  }

  /// The numbers of ops tell the same and more: arrows count only in files without any.
  Status take_flow(const TraceEvent& event) {
    const auto process = event.process.whole();
    const auto thread = event.thread.whole();
    const auto id = event.id.whole();
    const auto time = nanoseconds(event.start);
    const bool is_end = event.phase == "f";
    if (has_sequences_ || !process || !thread || !id || !time) return {};
    if (!is_end && event.phase != "s") return {};
    return builder_.add(Flow{*time, builder_.thread(*process, *thread), *id, is_end});
  }

  void name_thread(const TraceEvent& event) {
    const auto process = event.process.whole();
    const auto thread = event.thread.whole();
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
    what += counted(read.events, "event", "events") + ", but none of torch.profiler";
    return unknown_ == 0 ? what : what + "; " + unknown_kinds();
  }

  [[nodiscard]] std::string warning(const ReadTrace& read) const {
    std::string line;
    const auto add = [&line](const std::string& part) {
      line.append(line.empty() ? "" : "; ").append(part);
    };
    if (read.is_cut) add("is cut off; everything before the cut was imported");
    if (facts_.has_unreadable_base()) {
      add("\"baseTimeNanoseconds\" is no whole number; times count from 0");
    }
    if (damage_.any()) add(damage_.text());
    if (unknown_ != 0) add(counted(unknown_, "event", "events") + " of " + unknown_kinds());
    return line.empty() ? line : path_ + ": " + line;
  }

  static constexpr std::size_t kMaxProcesses = 2;  // More are as good as several.
  static constexpr std::size_t kMaxWordBytes = 64;

  const std::string path_;
  const FilePosition position_;
  RecordSink& sink_;
  TraceBuilder builder_;
  CaptureFacts facts_;
  std::uint64_t taken_ = 0;
  std::uint64_t unknown_ = 0;
  bool has_sequences_ = false;  // some op has a sequence number
  Damage damage_;
  std::map<std::string, std::uint64_t> unknown_words_;
  std::set<std::uint64_t> processes_;  // of host threads
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

}  // namespace prof::importers
