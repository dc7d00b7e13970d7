// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// usage: fuzz_parsers SECONDS CORPUS [PARSER [SEED]]
//        fuzz_parsers --list
//
// Feeds damaged texts to every parser of untrusted text, each for SECONDS, and checks its
// guarantees. Texts are derived from the lines of CORPUS/PARSER.txt by changing, cutting,
// duplicating and crossing them; the same SEED gives the same texts. A finding ends the program: by
// a signal or a sanitizer, or with exit code 1 and the text. Build with
// -fsanitize=address,undefined.
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "analyzers/attributor.hpp"
#include "analyzers/dialects/op_signature.hpp"
#include "analyzers/dialects/python_literal.hpp"
#include "analyzers/dialects/registry.hpp"
#include "analyzers/kernels/kernel_facts.hpp"
#include "analyzers/ops/triton_kernels.hpp"
#include "libprof/source/stream_reader.hpp"
#include "libprof/source/text_template.hpp"
#include "libprof/store/read/trace_reader.hpp"
#include "libprof/store/write/trace_writer.hpp"
#include "tests/fuzz/compiled_code.hpp"
#include "tests/fuzz/foreign_database.hpp"
#include "tests/support/ignoring_sink.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"
#include "tools/import/import_file.hpp"
#include "tools/import/nsys/json_payloads.hpp"

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
  const bool is_op = meaning.is<prof::StatedOp>() || meaning.is<prof::FrameworkOp>() ||
                     meaning.is<prof::LibraryCall>();
  return !is_op || (meaning.op() != nullptr && !meaning.op()->op.empty());
}

/// Each returns false if a guarantee is broken.
bool read_dialects(const std::string& text) {
  const auto whole = dialects().parse({text, {}, true});
  const auto of_template = dialects().parse_template({prof::split_text(text).text, {}, true});
  return sound(whole) && (!of_template || sound(*of_template));
}

bool read_python(const std::string& text) {
  const auto value = prof::dialects::read_python(text);
  return !value || value->keys.empty() || value->keys.size() == value->items.size();
}

bool read_signature(const std::string& text) {
  return sound(prof::dialects::read_op_signature(text, /*has_seq=*/text.size() % 2 == 0));
}

bool read_template(const std::string& text) {
  const prof::SplitText split = prof::split_text(text);
  return prof::join_text(split.text, split.numbers) == text;
}

bool read_kernel_name(const std::string& text) {
  const prof::KernelFacts facts = prof::kernels::facts(text);
  const bool is_fused = !prof::ops::fused_ops(text).empty();
  return (text.empty() || !facts.short_name.empty()) &&
         prof::ops::fused_word(text).empty() != is_fused;
}

/// A program whose ranges are the words between the line's '|'; ')' pops, '*' launches, a digit in
/// front of a text is its thread.
bool attribute(const std::string& text) {
  prof::fakes::FakeTrace trace;
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
  const auto cursor = prof::attribute_work(trace);
  std::size_t rows = 0;
  while (const prof::AttributedRow* row = cursor->next()) {
    ++rows;
    if (row->attribution.op == nullptr) return false;
  }
  return rows == launches && cursor->status().ok();
}

struct CountingSink final : prof::test::IgnoringSink {
  using IgnoringSink::on;
  void on(const prof::KernelRecord& /*record*/) override { ++work; }
  void on(const prof::MemcpyRecord& /*record*/) override { ++work; }
  void on(const prof::MemsetRecord& /*record*/) override { ++work; }
  std::size_t work = 0;
};

constexpr std::size_t kMaxRows = 100'000;  // far more than a text of the corpus has

struct Reading {
  bool ok = false;  ///< To the end, without an error.
  std::size_t rows = 0;
};

/// Every row of a trace, attributed.
Reading read_trace(const std::string& trace) {
  Reading reading;
  const auto reader = prof::TraceReader::open(trace);
  if (!reader) return reading;
  const auto cursor =
      prof::attribute_work(**reader, {.work = prof::TraceReader::Work::kKernelsAndCopies});
  while (reading.rows < kMaxRows && cursor->next() != nullptr) ++reading.rows;
  reading.ok = cursor->status().ok();
  return reading;
}

std::string scratch_file(std::string_view ending) {
  const std::string name = "fuzz_parsers." + std::to_string(getpid());
  return (std::filesystem::temp_directory_path() / name).string().append(ending);
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// '|' stands for the ends of lines.
void write_stream(const std::string& path, std::string text) {
  std::ranges::replace(text, '|', '\n');
  write_text(path, text);
}

/// A record stream: read, stored, attributed. What came before a damaged line counts, and the error
/// is one line that names the file.
bool store_stream(const std::string& text) {
  static const std::string stream = scratch_file(".jsonl"), trace = scratch_file(".db");
  write_stream(stream, text);
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
  const Reading reading = read_trace(trace);
  std::filesystem::remove(stream);
  std::filesystem::remove(trace);
  return good && reading.ok && reading.rows == counted.work;
}

/// The trace of a stream, with some bytes changed, moved or cut off: other rows or an error, and an
/// end of them.
bool read_damaged_trace(const std::string& text) {
  static const std::string stream = scratch_file(".jsonl"), trace = scratch_file(".db");
  write_stream(stream, text);
  if (auto writer = prof::TraceWriter::create(trace, {.force = true})) {
    static_cast<void>(prof::replay(stream, **writer));
  }
  std::string bytes = read_file(trace);
  std::mt19937_64 random(std::hash<std::string>{}(text));
  for (std::uint64_t changes = random() % 8; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random() % bytes.size();
    const std::uint64_t kind = random() % 16;
    if (kind == 0) {
      bytes.resize(at);
    } else if (kind == 1) {
      bytes.replace(at, 16, bytes, random() % bytes.size(), 16);
    } else {
      bytes[at] = static_cast<char>(kind < 4 ? 0xff : random());
    }
  }
  write_text(trace, bytes);
  const Reading reading = read_trace(trace);
  std::filesystem::remove(stream);
  std::filesystem::remove(trace);
  return reading.rows < kMaxRows;
}

/// A file of another profiler: a trace of it that can be read to the end, or an error of one line.
template <void (*kWrite)(const std::string& path, std::string_view text)>
bool import_foreign(const std::string& text) {
  namespace fs = std::filesystem;
  static const fs::path folder = scratch_file("");
  fs::create_directory(folder);
  const std::string file = folder / "net";
  kWrite(file, text);
  const auto imported = prof::importers::import_file({file, folder / "t.db", true});
  bool good = true;
  if (!imported) {
    const std::string line = imported.error().to_line();
    good = line.starts_with(file) && line.find('\n') == line.npos;
  } else {
    fs::remove(file);
    for (const auto& trace : fs::directory_iterator(folder)) {
      good = good && read_trace(trace.path()).ok;
    }
  }
  fs::remove_all(folder);
  return good;
}

/// Lines of nsys's table of GPU work, below its heading; "|" ends one.
void write_gpu_trace(const std::string& path, std::string_view text) {
  std::string lines =
      "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
      "DymSMem (MB),Bytes (MB),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n";
  lines.append(text);
  std::ranges::replace(lines, '|', '\n');
  write_text(path, lines);
}

struct SchemaSink final : prof::test::IgnoringSink {
  using IgnoringSink::on;
  void on(const prof::PayloadSchemaRecord& record) override {
    ++count;
    id = record.schema;
    fields = record.fields_json;
  }
  std::size_t count = 0;
  std::uint64_t id = 0;
  std::string fields;
};

/// A JSON payload of Nsight Systems: its schema, told once, finds each number in the bytes.
bool encode_payload(const std::string& text) {
  using nlohmann::json;
  SchemaSink told;
  prof::importers::nsys::JsonPayloads payloads(told);
  const auto encoded = payloads.encode(prof::kDefaultDomain, text);
  const auto again = payloads.encode(prof::kDefaultDomain, text);
  if (again.schema != encoded.schema || again.bytes != encoded.bytes) return false;
  if (encoded.schema == 0) return encoded.bytes.empty() && told.count == 0;
  if (told.count != 1 || told.id != encoded.schema) return false;
  const json root = json::parse(text);
  const json fields = json::parse(told.fields);
  for (const json& field : fields) {
    const std::size_t offset = field.at("offset");
    std::uint64_t bits = 0;
    if (offset + sizeof bits > encoded.bytes.size()) return false;
    std::memcpy(&bits, encoded.bytes.data() + offset, sizeof bits);
    const json& value = root.at(field.at("name").get<std::string>());
    if (!value.is_number()) return false;
    const bool is_same = value.is_number_float()
                             ? std::bit_cast<double>(bits) == value.get<double>()
                             : bits == value.get<std::uint64_t>();
    if (!is_same) return false;
  }
  return encoded.is_whole == (fields.size() == root.size());
}

struct Parser {
  const char* name;
  const char* corpus;
  bool (*read)(const std::string& text);
};

constexpr Parser kParsers[] = {
    {"dialects", "dialects", read_dialects},
    {"python", "python", read_python},
    {"signatures", "signatures", read_signature},
    {"templates", "templates", read_template},
    {"kernel_names", "kernel_names", read_kernel_name},
    {"programs", "programs", attribute},
    {"compiled_code", "compiled_code", prof::fuzz::read_code},
    {"compiled_fragments", "compiled_fragments", prof::fuzz::read_fragments},
    {"compiled_nodes", "compiled_nodes", prof::fuzz::read_node_tables},
    {"compiled_lines", "compiled_lines", prof::fuzz::read_graph_lines},
    {"compiled_sizes", "compiled_sizes", prof::fuzz::read_symbolic_sizes},
    {"compiled_runs", "compiled_code", prof::fuzz::run_code},
    {"streams", "streams", store_stream},
    {"payloads", "payloads", store_stream},
    {"traces", "streams", read_damaged_trace},
    {"kineto", "kineto", import_foreign<write_text>},
    {"nsys", "nsys", import_foreign<prof::fuzz::write_database>},
    {"nvprof", "nvprof", import_foreign<prof::fuzz::write_database>},
    {"nsys_csv", "nsys_csv", import_foreign<write_gpu_trace>},
    {"json_payloads", "json_payloads", encode_payload},
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
  static constexpr std::size_t kMaxSize = 16'384;  // in bytes, longer than any line of a corpus

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
    if (text.size() > kMaxSize) text.resize(kMaxSize);
  }

  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list") {
    for (const Parser& parser : kParsers) std::printf("%s\n", parser.name);
    return 0;
  }
  if (argc < 3 || argc > 5) {
    std::fprintf(
        stderr, "usage: fuzz_parsers SECONDS CORPUS [PARSER [SEED]]\n       fuzz_parsers --list\n");
    return 2;
  }
  const std::chrono::duration<double> each(std::stod(argv[1]));
  const std::uint64_t seed = argc == 5 ? std::stoull(argv[4]) : 1;
  for (const Parser& parser : kParsers) {
    if (argc > 3 && std::string(argv[3]) != parser.name) continue;
    Texts texts(std::string(argv[2]) + "/" + parser.corpus + ".txt", seed);
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
