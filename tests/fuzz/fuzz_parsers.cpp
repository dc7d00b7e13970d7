// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: fuzz_parsers SECONDS CORPUS [PARSER [SEED]]
//
// Gives damaged texts to every parser of texts from outside, for that long each, and checks what
// they promise. Texts are made from the lines of CORPUS/PARSER.txt by changing, cutting, doubling
// and crossing them; the same texts at every run with the same SEED. A finding ends the program: by
// a signal or a sanitizer, or with exit code 1 and the text. Build it with
// -fsanitize=address,undefined.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "analyzers/attributor.hpp"
#include "analyzers/dialects/python_literal.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/kernels/kernel_facts.hpp"
#include "libprof/source/stream_reader.hpp"
#include "libprof/source/text_template.hpp"
#include "libprof/store/trace_reader.hpp"
#include "libprof/store/trace_writer.hpp"
#include "tests/support/ignoring_sink.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace {

using prof::dialects::RangeMeaning;

const prof::dialects::Registry& dialects() {
  static const prof::dialects::Registry registry = [] {
    prof::dialects::Registry made;
    prof::dialects::register_builtin(made);
    return made;
  }();
  return registry;
}

bool sound(const RangeMeaning& meaning) {
  return meaning.kind != RangeMeaning::Kind::kOp || (meaning.op && !meaning.op->op.empty());
}

/// Each is false where a promise is broken.
bool read_dialects(const std::string& text) {
  const auto whole = dialects().parse({text, {}, true});
  const auto of_template = dialects().parse_template({prof::split_text(text).text, {}, true});
  return sound(whole) && (!of_template || sound(*of_template));
}

bool read_python(const std::string& text) {
  const auto value = prof::dialects::read_python(text);
  return !value || value->keys.empty() || value->keys.size() == value->items.size();
}

bool read_template(const std::string& text) {
  const prof::SplitText split = prof::split_text(text);
  return prof::join_text(split.text, split.numbers) == text;
}

bool read_kernel_name(const std::string& text) {
  const prof::KernelFacts facts = prof::kernels::facts(text);
  return text.empty() || !facts.short_name.empty();
}

/// A program whose ranges are the words between the line's '|'; ')' pops, '*' launches, a digit in
/// front of a text is its thread.
bool attribute(const std::string& text) {
  prof::testing::FakeTrace trace;
  std::uint32_t depth[10] = {};
  std::size_t launches = 0;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    std::string_view word = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    std::uint32_t thread = 1;
    if (!word.empty() && word.front() >= '0' && word.front() <= '9') {
      thread = static_cast<std::uint32_t>(word.front() - '0');
      word.remove_prefix(1);
    }
    if (word == ")") {
      if (depth[thread] > 0) {
        trace.pop(thread);
        --depth[thread];
      }
    } else if (word == "*") {
      trace.kernel("kernel", 100, thread);
      ++launches;
    } else {
      trace.push(word, thread);
      ++depth[thread];
    }
  }
  prof::AttributedCursor cursor(trace);
  std::size_t rows = 0;
  while (const prof::AttributedRow* row = cursor.next()) {
    ++rows;
    if (row->attribution->op == nullptr) return false;
  }
  return rows == launches && cursor.status().ok();
}

struct CountingSink final : prof::test::IgnoringSink {
  using IgnoringSink::on;
  void on(const prof::KernelRecord& /*record*/) override { ++work; }
  void on(const prof::MemcpyRecord& /*record*/) override { ++work; }
  void on(const prof::MemsetRecord& /*record*/) override { ++work; }
  std::size_t work = 0;
};

/// Every row of a trace, attributed.
bool reads_whole(const std::string& trace, std::size_t work) {
  const auto reader = prof::TraceReader::open(trace);
  if (!reader) return false;
  prof::AttributedCursor cursor(**reader, {.work = prof::TraceReader::Work::kKernelsAndCopies});
  std::size_t rows = 0;
  while (cursor.next() != nullptr) ++rows;
  return cursor.status().ok() && rows == work;
}

/// A record stream with '|' for the ends of its lines: read, stored, attributed. What came before a
/// damaged line counts, and the error is one line that names the file.
bool store_stream(const std::string& text) {
  static const std::string scratch =
      std::filesystem::temp_directory_path() / ("fuzz_parsers." + std::to_string(getpid()));
  const std::string stream = scratch + ".jsonl", trace = scratch + ".db";
  std::string lines = text;
  std::ranges::replace(lines, '|', '\n');
  std::ofstream(stream, std::ios::binary) << lines;
  CountingSink counted;
  const auto told = prof::replay(stream, counted);
  bool good = true;
  {
    auto writer = prof::TraceWriter::create(trace, {.force = true});
    good = writer.ok() && prof::replay(stream, **writer).ok() == told.ok();
  }
  if (!told) {
    const std::string line = told.error().to_line();
    good = good && line.starts_with(stream) && line.find('\n') == line.npos;
  }
  good = good && reads_whole(trace, counted.work);
  std::filesystem::remove(stream);
  std::filesystem::remove(trace);
  return good;
}

struct Parser {
  const char* name;
  bool (*read)(const std::string& text);
};

constexpr Parser kParsers[] = {
    {"dialects", read_dialects},        {"python", read_python}, {"templates", read_template},
    {"kernel_names", read_kernel_name}, {"programs", attribute}, {"streams", store_stream},
};

class Texts {
 public:
  Texts(const std::string& path, std::uint64_t seed) : random_(seed) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) corpus_.push_back(line);
    if (corpus_.empty()) corpus_.emplace_back();
  }

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    if (below(4) == 0) {  // crossed with another
      const std::string& other = corpus_[below(corpus_.size())];
      text = text.substr(0, below(text.size() + 1)) + other.substr(below(other.size() + 1));
    }
    for (std::size_t i = below(6); i > 0; --i) damage(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

  void damage(std::string& text) {
    constexpr std::string_view kTelling = "[](){}'\",:|*\\0123456789 -=\x01\x80\xff";
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 1:
        if (at < text.size()) text[at] = kTelling[below(kTelling.size())];
        break;
      case 2:
        text.insert(at, 1, kTelling[below(kTelling.size())]);
        break;
      case 3:
        text.erase(at, 1 + below(8));
        break;
      case 4:
        text.insert(at, text.substr(at, 1 + below(24)));
        break;
      default:
        if (below(8) == 0) text.resize(at);
    }
    if (text.size() > 4096) text.resize(4096);
  }

  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5) {
    std::fprintf(stderr, "usage: fuzz_parsers SECONDS CORPUS [PARSER [SEED]]\n");
    return 2;
  }
  const std::chrono::duration<double> each(std::stod(argv[1]));
  const std::uint64_t seed = argc == 5 ? std::stoull(argv[4]) : 1;
  for (const Parser& parser : kParsers) {
    if (argc > 3 && std::string(argv[3]) != parser.name) continue;
    Texts texts(std::string(argv[2]) + "/" + parser.name + ".txt", seed);
    const auto end = std::chrono::steady_clock::now() + each;
    std::uint64_t count = 0;
    for (; std::chrono::steady_clock::now() < end; ++count) {
      const std::string text = texts.next();
      if (!parser.read(text)) {
        std::printf("%s: a promise is broken by: %s\n", parser.name, text.c_str());
        return 1;
      }
    }
    std::printf("%s: %llu texts, no finding\n", parser.name,
                static_cast<unsigned long long>(count));
  }
  return 0;
}
