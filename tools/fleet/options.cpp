// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>

#include "libprof/store/read/trace_paths.hpp"
#include "tools/common/command_line.hpp"
#include "tools/common/nearest.hpp"
#include "tools/common/version.hpp"
#include "tools/common/words.hpp"
#include "tools/fleet/dashboard.hpp"

namespace prof::fleet {
namespace {

constexpr const char* kBrief =
    "Keeps the history of a fleet's traces in ClickHouse, and answers questions.";

struct CommandInfo {
  Command command;
  std::string_view name, arguments, help;
};
constexpr CommandInfo kCommands[] = {
    {Command::kAdd, "add", "STORE TRACE...", "add traces, or folders of them"},
    {Command::kSql, "sql", "STORE SELECT",
     "answer a SELECT, in which {facts}, {steps}, ... are the tables"},
    {Command::kExport, "export", "STORE --parquet FOLDER", "write the tables as Parquet"},
    {Command::kInit, "init", "STORE",
     "make the tables, or add what an older store's lack; add does so itself, but on each server "
     "of a cluster it is done once"},
};

/// Commands about no store.
constexpr CommandInfo kTablesCommand = {Command::kAnswer, "tables", "",
                                        "print the tables of a store, with their columns"};
constexpr CommandInfo kDashboardCommand = {Command::kAnswer, "dashboard", "",
                                           "print the questions as a dashboard of Grafana"};

/// The words as they are typed.
struct Words {
  FleetOptions options;
  std::string form = "table", limit, store, fail_above;
  int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

void declare_store(tools::CommandLine& line, Words& words) {
  StoreWords& store = words.options.store;
  line.value({"--cluster", "NAME", "cluster of the server's configuration that has the tables"},
             store.cluster);
  line.value({"--database", "NAME", "database of the tables (prof)"}, store.database);
}

tools::Values form_words() {
  std::vector<tools::Word> words;
  for (const reports::FormInfo& form : reports::forms()) {
    if (form.holds_several()) continue;
    words.push_back({std::string(form.word), std::string(form.help)});
  }
  return tools::Values::one_of(std::move(words));
}

void declare_output(tools::CommandLine& line, Words& words) {
  line.word({"-f,--format", "FORM", "table, markdown, csv or json", form_words()}, words.form);
  line.value({"-o,--output", "FILE", "write the answer to a file"}, words.options.output);
}

std::string check_label(const std::string& label) {
  const std::size_t at = label.find('=');
  return at == 0 || at >= label.size() ? "is written KEY=VALUE" : "";
}

void declare_choice(tools::CommandLine& line, Words& words) {
  Choice& choice = words.options.asked.choice;
  line.values({"--run", "RUN", "of this run"}, choice.runs);
  line.values({"--job", "JOB", "of runs of this job"}, choice.jobs);
  line.values({"--label", "KEY=VALUE", "of runs with this label; with several, of runs with all"},
              choice.labels, check_label);
  line.value(
      {"--op", "PATTERN", "GPU work of these ops: * and ? stand for any characters, any character"},
      choice.op);
  line.value({"--layer", "PATTERN", "GPU work of these layers"}, choice.layer);
  line.value({"--dir", "DIR", "GPU work of this direction: fprop, bprop or update"}, choice.dir);
  line.value({"--limit", "N", "at most so many lines (25 in a table)"}, words.limit);
}

void declare_limit(tools::CommandLine& line, Words& words, const std::string& of = {}) {
  line.value({"--fail-above", "PERCENT",
              of + "exit code 3 if the step takes longer by more, 4 if that cannot be decided: 5%"},
             words.fail_above, [](const std::string& percent) {
               return tools::percent_in(percent) ? "" : "is not a percentage: give 5%";
             });
}

void declare_add(tools::CommandLine& line, Words& words) {
  RunWords& run = words.options.add.words;
  line.value({"--run", "RUN", "id of the run, instead of the launcher's"}, run.run);
  line.value({"--job", "JOB", "name of what runs again and again, for history and flops"}, run.job);
  line.value({"--commit", "COMMIT", "version of the program"}, run.commit);
  line.values({"--label", "KEY=VALUE", "anything else"}, run.labels, check_label);
  line.positive({"--threads", "N", "traces that are read at once (as many as cores)"},
                words.threads);
}

/// The options of questions, then those that `add` alone has.
std::vector<tools::ManualOption> all_options() {
  Words words;
  tools::CommandLine asking("prof-fleet"), adding("prof-fleet");
  declare_choice(asking, words);
  declare_output(asking, words);
  declare_store(asking, words);
  asking.value({"--by", "COLUMNS", "top: columns of facts by which lines are made"},
               words.options.asked.by);
  declare_limit(asking, words, "regress: ");
  asking.value({"--parquet", "FOLDER", "export: a file for each table"}, words.options.folder);
  declare_add(adding, words);
  std::vector<tools::ManualOption> options = asking.manual_options();
  for (tools::ManualOption& option : adding.manual_options()) {
    const auto is_same = [&](const tools::ManualOption& one) { return one.flags == option.flags; };
    if (std::ranges::any_of(options, is_same)) continue;
    option.help = "add: " + option.help;
    options.push_back(std::move(option));
  }
  return options;
}

std::string overview() {
  std::string text =
      fmt::format("{}\n\nUsage: prof-fleet COMMAND STORE [OPTIONS] ...\n\nCommands:\n", kBrief);
  const auto line = [&text](std::string_view name, std::string_view help) {
    text += fmt::format("  {:<18} {}\n", name, help);
  };
  for (const CommandInfo& command : kCommands) line(command.name, command.help);
  for (const CommandInfo& command : {kTablesCommand, kDashboardCommand})
    line(command.name, command.help);
  text += "\nQuestions:\n";
  for (const auto& question : questions().all()) line(question->info().name, question->info().help);
  text += "\nOptions, of which each command has some:\n";
  for (const tools::ManualOption& option : all_options()) {
    line(fmt::format("{} {}", fmt::join(option.flags, ","), option.type), option.help);
  }
  return text +
         "\nSTORE is a folder, or http://HOST:8123 for a ClickHouse server. `prof-fleet COMMAND "
         "--help` has "
         "the command's options.\n";
}

/// docs/fleet_tables.md.
std::string tables_text() {
  std::string text = fmt::format(
      "# The tables of a store\n\nVersion {}, as `prof-fleet tables` prints it. Absent numbers are "
      "NULL, absent "
      "texts are empty.\n",
      kSchemaVersion);
  for (const FleetTable& table : fleet_tables()) {
    text += fmt::format("\n## {}\n{}.\n\n| column | type | unit | meaning |\n|---|---|---|---|\n",
                        table.name, table.help);
    for (const StoredColumn& column : table.columns) {
      text += fmt::format("| {} | {} | {} | {} |\n", column.name, column.type, column.unit,
                          column.help);
    }
  }
  return text;
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names{kTablesCommand.name, kDashboardCommand.name};
  for (const CommandInfo& command : kCommands) names.push_back(command.name);
  for (const auto& question : questions().all()) names.push_back(question->info().name);
  return names;
}

/// Parses a command's own words, after its name. `usage` is the error where one is missing.
Result<FleetOptions> parse_command(tools::CommandLine& line, Words& words, const Error& usage,
                                   int argc, const char* const* argv) {
  const auto parsed = line.parse(argc, argv);
  if (parsed.answer) {
    words.options.command = Command::kAnswer;
    words.options.answer = *parsed.answer;
    return std::move(words.options);
  }
  if (parsed.mistake && parsed.mistake->ends_with("is required")) {
    return usage;
  }
  if (parsed.mistake) return Error{*parsed.mistake, {}, "see --help"};
  words.options.fail_above_pct = tools::percent_in(words.fail_above);
  words.options.store.store = words.store;
  words.options.add.threads = static_cast<unsigned>(words.threads);
  std::ranges::sort(words.options.add.words.labels);
  if (!words.limit.empty()) {
    std::uint64_t limit = 0;
    const char* const end = words.limit.data() + words.limit.size();
    if (std::from_chars(words.limit.data(), end, limit).ptr != end || limit == 0) {
      return Error{"\"" + words.limit + "\" is no number of lines", "--limit", {}};
    }
    words.options.asked.limit = limit;
  }
  for (const reports::FormInfo& form : reports::forms()) {
    if (form.word == words.form) words.options.form = &form;
  }
  return std::move(words.options);
}

Result<FleetOptions> parse_question(const reports::Report& question, int argc,
                                    const char* const* argv) {
  const std::string name(question.info().name);
  Words words;
  words.options.command = Command::kAsk;
  words.options.asked.question = &question;
  tools::CommandLine line("prof-fleet " + name, std::string(question.info().help));
  std::vector<std::string>& arguments = words.options.asked.arguments;
  const std::vector<std::string> names = arguments_of(question);
  arguments.resize(names.size());
  line.argument("STORE", words.store, "a folder, or http://HOST:8123");
  for (std::size_t i = 0; i < names.size(); ++i)
    line.argument(names[i], arguments[i], "id of a run");
  if (decides(question)) declare_limit(line, words);
  const std::string usage =
      fmt::format("{} STORE{}{}", line.program(), names.empty() ? "" : " ", fmt::join(names, " "));
  const char* const missing = names.empty() ? "name a store" : "name a store and two runs";
  if (groups_on_request(question)) {
    words.options.asked.by = default_keys(question);
    line.value({"--by", "COLUMNS", "columns of facts by which lines are made"},
               words.options.asked.by);
  }
  declare_choice(line, words);
  declare_output(line, words);
  declare_store(line, words);
  return parse_command(line, words, {missing, name, usage}, argc, argv);
}

Result<FleetOptions> parse_builtin(const CommandInfo& info, int argc, const char* const* argv) {
  Words words;
  words.options.command = info.command;
  tools::CommandLine line("prof-fleet " + std::string(info.name), std::string(info.help));
  line.argument("STORE", words.store, "a folder, or http://HOST:8123");
  switch (info.command) {
    case Command::kAdd:
      line.arguments("TRACE", words.options.traces, "traces, or folders of them");
      declare_add(line, words);
      break;
    case Command::kSql:
      line.argument("SELECT", words.options.sql, "the statement");
      declare_output(line, words);
      break;
    case Command::kExport:
      line.value({"--parquet", "FOLDER", "a file for each table"}, words.options.folder);
      break;
    default:
      break;
  }
  declare_store(line, words);
  const std::string usage = fmt::format("{} {}", line.program(), info.arguments);
  auto options = parse_command(
      line, words, {"an argument is missing", std::string(info.name), usage}, argc, argv);
  if (!options || options->command == Command::kAnswer) return options;
  if (info.command == Command::kExport && options->folder.empty()) {
    return Error{"no folder is named", "--parquet", "prof-fleet export STORE --parquet FOLDER"};
  }
  if (info.command == Command::kAdd) {
    options->traces = traces_in(options->traces);
    if (options->traces.empty())
      return Error{"no trace is named", {}, "prof-fleet add STORE TRACE..."};
  }
  return options;
}

Result<FleetOptions> parse_dashboard(int argc, const char* const* argv) {
  Words words;
  tools::CommandLine line("prof-fleet " + std::string(kDashboardCommand.name),
                          std::string(kDashboardCommand.help));
  line.value({"--database", "NAME", "database of the tables (prof)"}, words.options.store.database);
  const auto parsed = line.parse(argc, argv);
  if (parsed.mistake) return Error{*parsed.mistake, {}, "see --help"};
  words.options.answer = parsed.answer ? *parsed.answer : dashboard(words.options.store.database);
  return std::move(words.options);
}

}  // namespace

Result<FleetOptions> parse_options(int argc, const char* const* argv) {
  const std::string_view name = argc > 1 ? argv[1] : "--help";
  FleetOptions options;
  if (name == "--help" || name == "-h" || name == "help") {
    options.answer = overview();
    return options;
  }
  if (name == "--version") {
    options.answer = tools::version_line("prof-fleet") + "\n";
    return options;
  }
  if (name == kTablesCommand.name) {
    options.answer = tables_text();
    return options;
  }
  if (name == kDashboardCommand.name) return parse_dashboard(argc - 1, argv + 1);
  for (const CommandInfo& command : kCommands) {
    if (command.name == name) return parse_builtin(command, argc - 1, argv + 1);
  }
  if (const reports::Report* question = questions().find(name)) {
    return parse_question(*question, argc - 1, argv + 1);
  }
  const std::vector<std::string_view> names = command_names();
  const std::string nearest = tools::did_you_mean(name, names);
  return Error{"is no command", std::string(name), nearest.empty() ? "see --help" : nearest};
}

tools::Manual manual() {
  tools::ManualSection commands{"COMMANDS", {}}, asked{"QUESTIONS", {}};
  for (const CommandInfo& command : kCommands) {
    commands.entries.push_back(
        {fmt::format("{} {}", command.name, command.arguments), std::string(command.help)});
  }
  for (const auto& question : questions().all()) {
    asked.entries.push_back(
        {std::string(question->info().name), std::string(question->info().help)});
  }
  std::vector<tools::Word> first;
  for (const std::string_view name : command_names()) first.push_back({std::string(name), ""});
  return {.program = "prof-fleet",
          .brief = kBrief,
          .arguments = "COMMAND STORE [OPTIONS] ...",
          .argument = tools::Values::one_of(first),
          .options = all_options(),
          .sections = {commands, asked, tools::see_also("prof-report(1), prof-run(1)")}};
}

}  // namespace prof::fleet
