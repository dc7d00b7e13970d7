// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-import: converts a recorded stream or another profiler's file into a trace.db. Only command
// line and exit code.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>

#include "tools/common/messages.hpp"
#include "tools/common/progress.hpp"
#include "tools/common/unicode.hpp"
#include "tools/import/import_file.hpp"
#include "tools/import/importer.hpp"
#include "tools/import/options.hpp"

namespace {

using prof::tools::kFailed;
using prof::tools::kUsage;

constexpr const char* kProgram = "prof-import";

/// Covers reading alone. The progress of the writing that follows cannot be measured: records are
/// sorted, then stored.
prof::FilePosition progress_of(prof::tools::Progress& progress, const std::string& input) {
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(input, unknown);
  if (unknown || size == 0) return {};
  return [&progress, size](std::uint64_t bytes) {
    if (bytes < size) {
      progress.update(bytes, static_cast<double>(bytes) / static_cast<double>(size));
    } else {
      progress.ends_with("the file is read, writing the trace");
    }
  };
}

int run(int argc, char** argv) {
  prof::importers::ImportOptions options;
  const auto words = command_line(options);
  const auto parsed = words->parse(argc, argv);
  if (parsed.answer) return prof::tools::print_answer(*parsed.answer, kProgram);
  if (parsed.mistake) {
    prof::tools::print_error(stderr, kProgram, *parsed.mistake + "; see --help");
    return kUsage;
  }
  if (const auto rest = words->rest(); !rest.empty()) {
    const prof::Error mistake = rest.front().starts_with('-')
                                    ? words->unknown_option(rest.front())
                                    : prof::Error{"one file is imported at a time", rest.front(),
                                                  "run prof-import for each"};
    prof::tools::print_error(stderr, kProgram, mistake.to_line());
    return kUsage;
  }
  auto progress = prof::tools::Progress::on_stderr(kProgram, {"MB", 1'000'000});
  if (progress) options.position = progress_of(*progress, options.input);
  const auto imported = import_file(options);
  if (progress) progress->finish();
  if (!imported) {
    prof::tools::print_error(stderr, kProgram, imported.error().to_line());
    return kFailed;
  }
  for (const std::string& line : imported->warnings) {
    prof::tools::print_error(stderr, kProgram, line);
  }
  std::string answer;
  for (const std::string& line : imported->written) {
    prof::tools::append_printable(line, answer);
    answer += '\n';
  }
  return prof::tools::print_answer(answer, kProgram);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    prof::tools::print_error(stderr, kProgram, error.what());
    return kFailed;
  }
}
