// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: fuzz_traces SECONDS CORPUS_DIR [SEED]
//
// Makes traces from the streams of a folder, damages them and the streams in every way that
// damage.hpp implements, and runs prof-import's and prof-report's code on them in child processes:
// every report in every form. Whatever a file contains, a program ends in bounded time and memory
// with status 0, or with 1 and one clear line; it creates no file and changes none, except the
// trace whose journal it rolls back.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/adversary/traces/child.hpp"
#include "tests/adversary/traces/damage.hpp"
#include "tools/common/messages.hpp"
#include "tools/import/import_file.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/options/options.hpp"
#include "tools/report/run_report.hpp"

namespace {

namespace fs = std::filesystem;

using prof::adversary::Ended;
using prof::adversary::Random;

int report(const std::vector<const char*>& arguments) {
  prof::reports::Registry registry;
  register_reports(registry);
  const auto options =
      parse_options(static_cast<int>(arguments.size()), arguments.data(), registry);
  if (!options) return prof::tools::kUsage;
  const auto traces = prof::TraceSet::open(options->traces);
  if (!traces) {
    prof::tools::print_error(stderr, "prof-report", traces.error().to_line());
    return prof::tools::kFailed;
  }
  return run_report(*traces, *options,
                    {.out = stdout, .err = stderr, .out_width = {}, .err_shows_out = false});
}

int import(const std::string& from, const std::string& to) {
  const auto imported = prof::importers::import_file({from, to, /*force=*/true});
  if (!imported) {
    prof::tools::print_error(stderr, "prof-import", imported.error().to_line());
    return prof::tools::kFailed;
  }
  for (const std::string& line : imported->warnings) {
    prof::tools::print_error(stderr, "prof-import", line);
  }
  return prof::tools::kDone;
}

std::map<std::string, std::string> files(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto type = entry.symlink_status().type();
    found[entry.path().filename()] =
        std::to_string(static_cast<int>(type)) +
        (type == fs::file_type::regular ? prof::adversary::read_whole(entry.path()) : "");
  }
  return found;
}

class Fuzzer {
 public:
  Fuzzer(fs::path scratch, std::uint64_t seed) : scratch_(std::move(scratch)), random_(seed) {
    fs::create_directories(work());
    fs::create_directories(temporary());
    fs::create_directories(scratch_ / "base");
    setenv("TMPDIR", temporary().c_str(), 1);
  }

  bool take_corpus(const fs::path& folder) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      if (!name.ends_with(".jsonl") && !name.ends_with(".jsonl.gz")) continue;
      const fs::path trace = scratch_ / "base" / (name + ".db");
      if (import(entry.path(), trace) != prof::tools::kDone) continue;
      traces_.push_back(trace);
      streams_.push_back(prof::adversary::decompress(entry.path()));
    }
    return !traces_.empty() && !streams_.empty();
  }

  /// Empty, or what is wrong.
  std::string one() {
    for (const auto& entry : fs::directory_iterator(work())) fs::remove_all(entry.path());
    prof::adversary::write_whole(bystander(), "of somebody else");
    return random_.one_in(5) ? one_stream() : one_trace();
  }

  [[nodiscard]] std::uint64_t runs() const { return runs_; }
  /// Where the input of the failed round is kept.
  [[nodiscard]] fs::path kept() const { return scratch_ / "kept"; }

 private:
  [[nodiscard]] fs::path work() const { return scratch_ / "work"; }
  [[nodiscard]] fs::path temporary() const { return scratch_ / "tmp"; }
  [[nodiscard]] fs::path bystander() const { return work() / "bystander.txt"; }
  [[nodiscard]] std::string trace() const { return work() / "t.db"; }

  void keep() const {
    fs::remove_all(kept());
    fs::create_directories(kept());
    for (const auto& entry : fs::directory_iterator(work())) {
      if (entry.symlink_status().type() != fs::file_type::regular) continue;
      fs::copy_file(entry.path(), kept() / entry.path().filename());
    }
  }

  std::string one_trace() {
    fs::copy_file(random_.one_of(traces_), trace());
    const std::string done = prof::adversary::damage_trace(trace(), bystander(), random_);
    keep();
    const std::string wrong = read_trace();
    return wrong.empty() ? "" : wrong + " (after: " + done + ")";
  }

  std::string one_stream() {
    std::string text = random_.one_of(streams_);
    const std::string done = prof::adversary::damage_stream(text, random_);
    const std::string stream = work() / "s.jsonl";
    prof::adversary::write_whole(
        stream, random_.one_in(3) ? prof::adversary::compress(text, random_) : text);
    keep();
    auto before = files(work());
    const Ended ended = run([&] { return import(stream, trace()); });
    std::string wrong = ended.wrong("prof-import");
    if (!wrong.empty()) return "prof-import " + wrong;
    auto after = files(work());
    if (ended.status == 0 && after.erase("t.db") != 1) return "prof-import made no trace";
    if (after != before) return "prof-import changed a file or left one";
    if (ended.status != 0) return {};
    wrong = read_trace();
    return wrong.empty() ? "" : wrong + " (after: " + done + ")";
  }

  std::string read_trace() {
    auto before = files(work());
    for (const char* const name : {"kernels", "gpu", "layers", "ops"}) {
      // One form per report, in rotation: forms hardly differ in what they read.
      const char* const forms[] = {"table", "csv", "json"};
      const char* const form = random_.one_of(forms);
      const Ended ended = run([&] {
        return report({"prof-report", "-r", name, "-f", form, trace_.c_str()});
      });
      const std::string wrong = ended.wrong("prof-report");
      const std::string what = std::string("prof-report -r ") + name + " -f " + form + " ";
      if (!wrong.empty()) return what + wrong;
      auto after = files(work());
      if (before.contains("t.db-journal")) {  // which may be rolled back, into this file only
        if (!after.contains("t.db")) return what + "deleted the trace";
        before["t.db"] = after["t.db"];
        if (!after.contains("t.db-journal")) before.erase("t.db-journal");
      }
      if (after != before) return what + "changed a file, made or deleted one";
      if (!fs::is_empty(temporary())) return what + "left a temporary file";
    }
    return {};
  }

  Ended run(const std::function<int()>& body) {
    ++runs_;
    trace_ = trace();
    return prof::adversary::run_child(body);
  }

  fs::path scratch_;
  Random random_;
  std::vector<fs::path> traces_;
  std::vector<std::string> streams_;
  std::string trace_;
  std::uint64_t runs_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: fuzz_traces SECONDS CORPUS_DIR [SEED]\n");
    return 2;
  }
  const std::chrono::duration<double> budget(std::stod(argv[1]));
  const std::uint64_t seed = argc == 4 ? std::stoull(argv[3]) : 1;
  const fs::path scratch = fs::temp_directory_path() / ("fuzz_traces." + std::to_string(getpid()));
  Fuzzer fuzzer(scratch, seed);
  if (!fuzzer.take_corpus(argv[2])) {
    std::fprintf(stderr, "fuzz_traces: %s: holds no stream\n", argv[2]);
    return 2;
  }
  const auto end = std::chrono::steady_clock::now() + budget;
  std::uint64_t rounds = 0;
  for (; std::chrono::steady_clock::now() < end; ++rounds) {
    const std::string wrong = fuzzer.one();
    if (wrong.empty()) continue;
    std::printf("round %llu of seed %llu: %s\nwhat was read: %s\n",
                static_cast<unsigned long long>(rounds), static_cast<unsigned long long>(seed),
                wrong.c_str(), fuzzer.kept().c_str());
    return 1;
  }
  fs::remove_all(scratch);
  std::printf("%llu damaged files, %llu runs, no finding\n",
              static_cast<unsigned long long>(rounds),
              static_cast<unsigned long long>(fuzzer.runs()));
  return 0;
}
