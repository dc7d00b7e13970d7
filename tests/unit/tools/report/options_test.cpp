// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of the command line: defaults, and that each mistake gets one clear line.
#include "tools/report/options/options.hpp"
#include "tools/report/all_reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/common/version.hpp"
#include "tools/report/compat/nsys_names.hpp"
#include "tools/report/rows/row_kind.hpp"
#include "tools/report/rows/row_kinds.hpp"

namespace prof::reports {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class OptionsTest : public testing::Test {
 protected:
  OptionsTest() { register_reports(registry_); }
  Result<Options> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "prof-report");
    return parse_options(static_cast<int>(arguments.size()), arguments.data(), registry_);
  }
  std::string mistake(std::vector<const char*> arguments) {
    const auto options = parse(std::move(arguments));
    if (options) return "no mistake";
    const std::string line = options.error().to_line();
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    return line;
  }

  Registry registry_;
};

TEST_F(OptionsTest, Defaults) {
  const auto options = parse({"t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->traces, std::vector<std::string>{"t.db"});
  EXPECT_EQ(options->reports[0].report->info().name, "kernels");
  EXPECT_EQ(options->form->form, Form::kTable);
  EXPECT_EQ(options->reports[0].columns.size(), 7U);
  EXPECT_TRUE(options->filter.all());
  EXPECT_FALSE(options->answer);
}

TEST_F(OptionsTest, PeopleGetTheSameColumnsInEveryForm) {
  EXPECT_EQ(parse({"-f", "markdown", "t.db"})->reports[0].columns,
            parse({"t.db"})->reports[0].columns);
}

TEST_F(OptionsTest, TellsChosenColumnsFromOthers) {
  EXPECT_FALSE(parse({"t.db"})->columns_chosen);
  EXPECT_TRUE(parse({"-c", "idx,op", "t.db"})->columns_chosen);
}

TEST_F(OptionsTest, MachinesGetMoreColumns) {
  EXPECT_GT(parse({"-f", "json", "t.db"})->reports[0].columns.size(), 27U);
  EXPECT_EQ(parse({"-f", "json", "-c", "idx,op", "t.db"})->reports[0].columns.size(), 2U);
}

TEST_F(OptionsTest, APageIsNoReportAndMayHaveSides) {
  const auto options = parse({"--html", "x.html", "--step", "3", "a.db", "b.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->page, "x.html");
  EXPECT_TRUE(options->reports.empty());
  EXPECT_EQ(options->base_traces, 0U) << "ranks, or a comparison: their traces say so";
  const auto sides = parse({"--html", "x.html", "--base", "a.db", "b.db", "--new", "c.db"});
  EXPECT_EQ(sides->base_traces, 2U);
  EXPECT_EQ(sides->traces.size(), 3U);
  EXPECT_THAT(mistake({"--html", "x.html", "--base", "a.db"}), HasSubstr("needs the other side"));
  EXPECT_THAT(mistake({"--html", "x.html", "-r", "ops", "a.db"}),
              HasSubstr("does not go with --html"));
}

TEST_F(OptionsTest, SeveralReportsShareADocument) {
  EXPECT_TRUE(parse({"-f", "columns", "-r", "ops,layers", "a.db"}));
  EXPECT_EQ(parse({"-o", "x.columns", "-r", "ops,layers", "a.db"})->form->form, Form::kColumns);
  EXPECT_THAT(mistake({"-f", "json", "-r", "ops,layers", "a.db"}), HasSubstr("need a file each"));
}

TEST_F(OptionsTest, AnExportNeedsAFileAndIsNoReport) {
  const auto options = parse({"--export", "Folded", "-o", "-", "t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->format->word, "folded");
  EXPECT_TRUE(options->reports.empty());
  EXPECT_FALSE(options->output);
  EXPECT_EQ(parse({"--export", "chrome", "-o", "x.json", "t.db"})->output, "x.json");
  EXPECT_EQ(parse({"--export", "Perfetto", "-o", "x.csv", "t.db"})->format->word, "perfetto");
  EXPECT_THAT(mistake({"--export", "chrome", "t.db"}), HasSubstr("needs a file to write"));
  EXPECT_THAT(mistake({"--export", "chrom", "-o", "-", "t.db"}), HasSubstr("'chrome'"));
  for (const char* option : {"-r", "-f", "--sql", "-c"}) {
    const char* const value = option == std::string_view("-f") ? "csv" : "kernels";
    EXPECT_THAT(mistake({"--export", "chrome", "-o", "-", option, value, "t.db"}),
                HasSubstr("does not go with --export"));
  }
  EXPECT_THAT(mistake({"--export", "chrome", "-o", "-", "--save", "t.db"}),
              HasSubstr("does not go with --save"));
}

TEST_F(OptionsTest, NumbersKernelsAsOneOfTwoReportsDoes) {
  EXPECT_EQ(parse({"--ncu", "12", "t.db"})->ncu_idx, 12U);
  EXPECT_FALSE(parse({"--ncu", "12", "t.db"})->filter.with_copies);
  EXPECT_TRUE(parse({"--ncu", "12", "-r", "gpu", "t.db"})->filter.with_copies);
  EXPECT_THAT(mistake({"--ncu", "0", "t.db"}), HasSubstr("is not the idx of a kernel"));
  EXPECT_THAT(mistake({"--ncu", "12", "-r", "ops", "t.db"}), HasSubstr("does not go with -r ops"));
  EXPECT_THAT(mistake({"--ncu", "12", "-r", "gpu,kernels", "t.db"}),
              HasSubstr("does not go with -r gpu,kernels"));
  EXPECT_EQ(parse({"--explain", "12", "-f", "json", "t.db"})->explain_idx, 12U);
  EXPECT_TRUE(parse({"--explain", "12", "-r", "gpu", "t.db"})->filter.with_copies);
  EXPECT_THAT(mistake({"--explain", "x", "t.db"}), HasSubstr("as in --explain 12"));
  EXPECT_THAT(mistake({"--explain", "12", "-f", "csv", "t.db"}),
              HasSubstr("table, json and jsonl"));
  EXPECT_THAT(mistake({"--explain", "12", "--step", "1", "t.db"}),
              HasSubstr("--step: does not go with --explain"));
  EXPECT_THAT(mistake({"--ncu", "12", "--layer", "h.0", "t.db"}),
              HasSubstr("--layer: does not go with --ncu"));
}

TEST_F(OptionsTest, TakesCapturesAsSteps) {
  const auto options = parse({"--capture", "1", "--capture", "3-4", "-r", "sync,ranges", "t.db"});
  ASSERT_TRUE(options);
  ASSERT_EQ(options->filter.captures->spans.size(), 2U);
  EXPECT_TRUE(options->filter.captures->holds(4));
  EXPECT_FALSE(options->filter.all());
  EXPECT_TRUE(parse({"--capture", "last", "t.db"})->filter.captures->with_last);
  for (const auto& report : registry_.all()) {
    const std::string name(report->info().name);
    std::vector<const char*> words = {"-r", name.c_str(), "--capture", "1", "t.db"};
    if (report->info().is_comparison) words.push_back("u.db");
    EXPECT_TRUE(parse(words)) << name;
  }
  EXPECT_EQ(mistake({"--capture", "step", "t.db"}),
            "--capture: 'step' is not a capture; give a number, A-B or last");
}

TEST_F(OptionsTest, TakesEverything) {
  const auto options =
      parse({"-r", "layers", "-f", "csv", "-c", "layer,kernels", "--step", "-3", "t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->reports[0].report->info().name, "layers");
  EXPECT_EQ(options->filter.step->to_words(), "step -3");
}

TEST_F(OptionsTest, MistakesAreToldWithWhatIsValid) {
  EXPECT_EQ(mistake({"-r", "kernel", "t.db"}),
            "-r: unknown report 'kernel'; did you mean 'kernels'?");
  EXPECT_EQ(mistake({"-r", "xyzzy", "t.db"}),
            "-r: unknown report 'xyzzy'; prof-report --list all shows them");
  EXPECT_EQ(mistake({"-f", "xml", "t.db"}),
            "-f: unknown format 'xml'; formats are table, markdown, csv, json, jsonl, columns");
  EXPECT_EQ(mistake({"-c", "idx,foo", "t.db"}),
            "-c: unknown column 'foo' in report 'kernels'; prof-report --list kernels has all");
  EXPECT_EQ(mistake({"--html", "t.db"}),
            "--html: 't.db' is the page, and no trace is given; name the page first: --html "
            "page.html trace.db");
  EXPECT_THAT(mistake({"-c", "idx,,op", "t.db"}), HasSubstr("unknown column ''"));
  EXPECT_THAT(mistake({"-c", "", "t.db"}), HasSubstr("column"));
  EXPECT_EQ(mistake({"-c", "idx,op,idx", "t.db"}), "-c: column 'idx' is given twice");
  EXPECT_THAT(mistake({}), HasSubstr("no trace file given"));
  EXPECT_THAT(mistake({"--step", "x", "t.db"}), HasSubstr("--step"));
  EXPECT_THAT(mistake({"--step", "1", "--step", "3-2", "t.db"}), HasSubstr("steps 3-2 are none"));
  EXPECT_EQ(parse({"--step", "3", "--step", "-5--4", "t.db"})->filter.step->to_words(),
            "steps 3,-5--4");
  EXPECT_THAT(mistake({"--step", "99999999999999999999", "t.db"}), HasSubstr("--step"));
  EXPECT_THAT(mistake({"--stp", "t.db"}), HasSubstr("--stp"));
  EXPECT_THAT(mistake({"-r"}), HasSubstr("-r"));
}

TEST_F(OptionsTest, SeveralTracesShowWhoseRowItIs) {
  const auto options = parse({"a.db", "b.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->traces.size(), 2U);
  EXPECT_EQ(column_words(options->reports[0].report->info(), options->reports[0].columns),
            "trace,rank,idx,dir,layer,op,params,kernel,time_ns");
  const auto summed = parse({"-r", "layers", "a.db", "b.db"});
  EXPECT_EQ(summed->reports[0].columns, parse({"-r", "layers", "a.db"})->reports[0].columns)
      << "groups are over all";
}

TEST_F(OptionsTest, AStatementTakesAReportsPlace) {
  const auto options = parse({"--sql", "SELECT 1", "-f", "csv", "t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->sql, "SELECT 1");
  EXPECT_EQ(mistake({"--sql", "SELECT 1", "--top", "1", "t.db"}),
            "--top: does not go with --sql; express it in SQL");
  EXPECT_TRUE(parse({"--sql", "SELECT 1", "--step", "1", "--kind", "memcpy", "t.db"}));
  EXPECT_THAT(mistake({"--sql", "SELECT 1", "-r", "ops", "t.db"}), HasSubstr("--report"));
  EXPECT_THAT(mistake({"--sql", "SELECT 1", "-c", "op", "t.db"}), HasSubstr("--columns"));
}

TEST_F(OptionsTest, ARowWithoutAStepCannotBeChosenByOne) {
  EXPECT_THAT(mistake({"-r", "sync", "--step", "1", "t.db"}),
              HasSubstr("--step: report 'sync' has no steps; reports that have: "));
  for (const char* name : {"gpu", "api", "ranges", "marks", "key_averages", "nvtx_sum"}) {
    EXPECT_TRUE(parse({"-r", name, "--step", "1", "t.db"})) << name;
  }
}

TEST_F(OptionsTest, AnswersWithoutATrace) {
  EXPECT_THAT(*parse({"--help"})->answer, HasSubstr("--step"));
  EXPECT_EQ(*parse({"--version"})->answer, tools::version_line("prof-report") + "\n");
  EXPECT_EQ(*parse({"help"})->answer, *parse({"--help"})->answer);
  EXPECT_EQ(*parse({"help", "ops"})->answer, *parse({"--list", "ops"})->answer);
}

std::size_t lines_that_begin(const std::string& text, const std::string& start) {
  std::size_t count = 0;
  for (std::size_t at = text.find("\n" + start); at < text.size();
       at = text.find("\n" + start, at + 1)) {
    ++count;
  }
  return count;
}

TEST_F(OptionsTest, ListsALineAReportAndTableByPurpose) {
  const std::string all = "\n" + *parse({"--list", "all"})->answer;
  ASSERT_GT(registry_.groups().size(), 5U);
  std::size_t reports = 0;
  for (const ReportGroup& group : registry_.groups()) {
    EXPECT_EQ(lines_that_begin(all, std::string(group.purpose) + "\n"), 1U) << group.purpose;
    reports += group.reports.size();
  }
  EXPECT_EQ(reports, registry_.all().size());
  for (const auto& report : registry_.all()) {
    const std::string name(report->info().name);
    const std::string_view help = report->info().help;
    const std::string meaning = name + std::string(23 - name.size(), ' ') +
                                std::string(help.substr(0, help.find(';'))) + "\n";
    EXPECT_EQ(lines_that_begin(all, "  " + meaning), 1U) << meaning;
  }
  for (const RowKind* kind : row_kinds()) {
    EXPECT_FALSE(kind->names.help.empty()) << kind->names.table;
    EXPECT_GE(lines_that_begin(all, "  " + std::string(kind->names.table) + " "), 1U);
  }
}

TEST_F(OptionsTest, AReportsNameMayStandFirst) {
  const auto options = parse({"Summary", "t.db"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->reports.front().report->info().name, "summary");
  EXPECT_EQ(options->traces, std::vector<std::string>{"t.db"});
  EXPECT_EQ(parse({"-r", "ops", "summary"})->traces, std::vector<std::string>{"summary"});
}

TEST_F(OptionsTest, ListsTenReportsFirst) {
  const std::string first = "\n" + *parse({"--list"})->answer;
  EXPECT_EQ(lines_that_begin(first, "  "), 10U);
  EXPECT_THAT(first, HasSubstr(std::to_string(registry_.all().size() - 10) + " more"));
}

TEST_F(OptionsTest, ListsTheColumnsOfReportsAndTables) {
  const std::string ops = *parse({"--list", "ops"})->answer;
  EXPECT_THAT(ops, StartsWith("ops: calls, kernels, time"));
  EXPECT_THAT(ops, HasSubstr("\n  time_ns        Time(ms)      total time"));
  EXPECT_EQ(ops, *parse({"--list", "-r", "ops"})->answer);
  const std::string table = *parse({"--list", "Attributed_Work"})->answer;
  EXPECT_THAT(table, HasSubstr("\n  time_ns          ns       "));
  EXPECT_THAT(table, HasSubstr("not in SELECT *: "));
  const std::string both = *parse({"--list", "allocations"})->answer;
  EXPECT_THAT(both, HasSubstr("rows: SQL"));
  EXPECT_THAT(both, HasSubstr("a table for --sql"));
  EXPECT_EQ(*parse({"--list", "gpukernsum"})->answer,
            *parse({"--list", "cuda_gpu_kern_sum"})->answer);
  EXPECT_EQ(mistake({"--list", "atributed_work"}),
            "--list: unknown report or table 'atributed_work'; did you mean 'attributed_work'?");
  EXPECT_EQ(mistake({"--list", "xyzzy"}),
            "--list: unknown report or table 'xyzzy'; prof-report --list all shows them");
}

TEST_F(OptionsTest, OldNamesOfNsightSystemsAreThoseOfReports) {
  for (const auto& [old, name] : old_names()) {
    const auto options = parse({"-r", std::string(old).c_str(), "t.db"});
    ASSERT_TRUE(options) << old;
    EXPECT_EQ(options->reports[0].report->info().name, name);
  }
  EXPECT_EQ(parse({"-r", "gpusum", "--report", "cudaapisum,osrtsum", "t.db"})->reports.size(), 3U);
  EXPECT_EQ(mistake({"-r", "gpusum,cuda_gpu_sum", "t.db"}),
            "-r: report 'cuda_gpu_sum' is given twice");
}

TEST_F(OptionsTest, TheFormIsThatOfTheFileUnlessItIsNamed) {
  EXPECT_EQ(parse({"-o", "x.csv", "t.db"})->form->word, "csv");
  EXPECT_EQ(parse({"-o", "out/x.JSON", "t.db"})->form->word, "json");
  EXPECT_EQ(parse({"--sql", "SELECT 1", "-o", "x.md", "t.db"})->form->word, "markdown");
  EXPECT_EQ(parse({"-f", "json", "-o", "x.csv", "t.db"})->form->word, "json");
  for (const char* path : {"x", "x.log", "out.csv/", "-", "csv"}) {
    EXPECT_EQ(parse({"-o", path, "t.db"})->form->word, "table") << path;
  }
  EXPECT_EQ(mistake({"-r", "ops", "--depth", "2", "-o", "x.csv", "t.db"}),
            "--depth: does not go with -f csv; only tables show trees");
}

TEST_F(OptionsTest, ListsForPrograms) {
  const std::string all = *parse({"--list", "-f", "json"})->answer;
  for (const auto& report : registry_.all())
    EXPECT_THAT(all, HasSubstr("\n{\"report\":\"" + std::string(report->info().name) + "\","));
  for (const RowKind* kind : row_kinds())
    EXPECT_THAT(all, HasSubstr("\n{\"sql_table\":\"" + std::string(kind->names.table) + "\","));
  const std::string two = *parse({"--list", "-f", "json", "-r", "ops,gpu"})->answer;
  EXPECT_THAT(two, StartsWith("[\n{\"report\":\"ops\",\"help\":\""));
  EXPECT_THAT(two, HasSubstr("]},\n{\"report\":\"gpu\",\"help\":\""));
  EXPECT_THAT(two, HasSubstr(R"({"word":"time_us","header":"Time","unit":"us","type":"real",)"));
  EXPECT_THAT(two, EndsWith("]}\n]\n"));
}

TEST_F(OptionsTest, TheSchemaOfJsonHasEveryColumn) {
  const auto all = nlohmann::json::parse(*parse({"--json-schema"})->answer)["$defs"];
  for (const auto& report : registry_.all()) {
    const ReportInfo& info = report->info();
    const auto one = nlohmann::json::parse(*parse({"--json-schema", info.name.data()})->answer);
    EXPECT_EQ(one["items"], all[std::string(info.name)]["items"]) << info.name;
    const auto& properties = one["items"]["properties"];
    EXPECT_EQ(properties.size(), info.columns.size() + 3) << info.name;
    for (const Column& column : info.columns) {
      const auto& property = properties[std::string(column.word)];
      EXPECT_EQ(property["description"], column.help) << column.word;
      const std::string unit = property.value("unit", "");
      EXPECT_TRUE(column.unit.empty() || unit == column.unit) << column.word << ": " << unit;
    }
  }
  EXPECT_EQ(mistake({"--json-schema", "opps"}),
            "--json-schema: unknown report or table 'opps'; did you mean 'ops'?");
  EXPECT_EQ(mistake({"--json-schema", "attributed_work"}),
            "attributed_work: is a table for SQL; reports have a schema; prof-report --list all "
            "shows them");
}

TEST_F(OptionsTest, EveryColumnCanBeChosenByItsWord) {
  for (const auto& report : registry_.all()) {
    const ReportInfo& info = report->info();
    for (std::size_t i = 0; i < info.columns.size(); ++i) {
      const auto chosen = choose_columns(info, info.columns[i].word);
      ASSERT_TRUE(chosen) << info.name << ": " << info.columns[i].word;
      EXPECT_EQ((*chosen)[0], i) << "two columns of " << info.name << " have one word";
    }
  }
}

TEST_F(OptionsTest, SeveralReports) {
  const auto options = parse({"-r", "layers, OPS", "t.db"});
  ASSERT_TRUE(options);
  ASSERT_EQ(options->reports.size(), 2U);
  EXPECT_EQ(options->reports[1].report->info().name, "ops");
  EXPECT_EQ(parse({"-r", "nsys", "t.db"})->reports.size(), 6U);
  EXPECT_EQ(parse({"-r", "nsys", "t.db"})->reports[1].report->info().name, "osrt_sum");
  EXPECT_EQ(mistake({"-r", "ops,ops", "t.db"}), "-r: report 'ops' is given twice");
  EXPECT_EQ(mistake({"-r", "ops,layers", "-c", "op", "t.db"}),
            "--columns: does not go with several reports");
  EXPECT_EQ(mistake({"-r", "ops,layers", "-f", "csv", "t.db"}),
            "-f csv: 2 reports need a file each; give a folder for them: -o DIR/");
  EXPECT_EQ(mistake({"-r", "nsys", "-f", "json", "-o", "-", "t.db"}),
            "-f json: 6 reports need a file each; give a folder for them: -o DIR/");
  EXPECT_EQ(mistake({"-r", "ops,layers", "-f", "csv", "-o", "out.csv", "t.db"}),
            "-o: 'out.csv' names a file, and 2 reports need one each; give a folder for them: "
            "-o DIR/");
  EXPECT_TRUE(parse({"-r", "ops,layers", "-f", "csv", "-o", "out.csv/", "t.db"}));
  EXPECT_EQ(parse({"-r", "ops", "-f", "csv", "-o", "-", "t.db"})->output, std::nullopt);
  EXPECT_EQ(parse({"-r", "ops,layers", "-o", "-", "t.db"})->output, std::nullopt);
  EXPECT_TRUE(parse({"-r", "ops,layers", "-f", "csv", "-o", "out", "t.db"}));
}

TEST_F(OptionsTest, RowsAreChosen) {
  const auto options = parse({"--op", "lin*", "--op", "add", "--kind", "memcpy, kernel", "--range",
                              "step:*", "--step", "2-5", "t.db"});
  ASSERT_TRUE(options);
  const RowFilter& filter = options->filter;
  ASSERT_EQ(filter.columns.size(), 2U);
  EXPECT_EQ(filter.columns[0].patterns, (std::vector<std::string>{"lin*", "add"}));
  EXPECT_EQ(filter.columns[1].patterns, (std::vector<std::string>{"memcpy", "kernel"}));
  EXPECT_TRUE(filter.with_copies);
  EXPECT_EQ(filter.ranges, std::vector<std::string>{"step:*"});
  EXPECT_TRUE(filter.step->holds(2) && filter.step->holds(5) && !filter.step->holds(6));
  EXPECT_TRUE(parse({"--step", "last", "t.db"})->filter.step->with_last);
  EXPECT_EQ(parse({"--step", "-3--1", "t.db"})->filter.step->to_words(), "steps -3--1");
  EXPECT_EQ(mistake({"--step", "5-2", "t.db"}),
            "--step: steps 5-2 are none; give the smaller number first");
  EXPECT_THAT(mistake({"--kind", "kernels", "t.db"}),
              HasSubstr("--kind: unknown kind 'kernels'; did you mean 'kernel'?"));
}

TEST_F(OptionsTest, WhatAReportLacksCannotBeChosen) {
  const std::string message = mistake({"-r", "api", "--op", "x", "t.db"});
  EXPECT_THAT(message, StartsWith("--op: report 'api' has no column 'op'; reports that have: "
                                  "kernels, gpu, layers, ops, "));
  EXPECT_THAT(message, HasSubstr(", key_averages, cuda_api_gpu_sum, "));
  EXPECT_THAT(message, Not(HasSubstr(" calls")));
  EXPECT_THAT(mistake({"-r", "device", "--range", "x", "t.db"}),
              HasSubstr("--range: report 'device' has no ranges around its rows; reports that "));
  EXPECT_THAT(mistake({"-r", "nvtx_sum", "--layer", "x", "t.db"}),
              HasSubstr("--layer: report 'nvtx_sum' has no column 'layer'; reports that have: "));
  EXPECT_THAT(mistake({"-r", "ops", "--short-ranges", "t.db"}),
              HasSubstr("--short-ranges: report 'ops' has no texts of ranges; reports that "));
  EXPECT_TRUE(parse({"-r", "nvtx_sum,nvprof,ranges,calls", "--short-ranges", "t.db"}));
  EXPECT_TRUE(parse({"-r", "key_averages", "--layer", "x", "--rank", "0", "t.db"}));
  EXPECT_TRUE(parse({"-r", "api", "--thread", "1", "--range", "x", "t.db"}));
  EXPECT_TRUE(parse({"-r", "streams", "--op", "x", "t.db"})) << "SQL reads tables that have it";
}

TEST_F(OptionsTest, KeysOfGroups) {
  const auto options = parse({"-r", "ops", "--by", "op,tc", "t.db"});
  ASSERT_TRUE(options);
  const auto& [report, columns, lines] = options->reports[0];
  EXPECT_EQ(column_words(report->info(), columns),
            "op,tc,calls,kernels,time_ns,time_pct,gflop,mb,tflop_per_s,gb_per_s,roofline_pct");
  EXPECT_THAT(
      mistake({"--by", "op", "t.db"}),
      HasSubstr("report 'kernels' is not a roll-up; roll-ups are layers, ops, gaps, api, "));
  EXPECT_THAT(mistake({"-r", "ops", "--by", "kernels", "t.db"}),
              HasSubstr("'kernels' is computed for groups"));
  const auto words = [this](const char* by, const char* shown) {
    const auto both = parse({"-r", "ops", "--by", by, "-c", shown, "t.db"});
    return column_words(both->reports[0].report->info(), both->reports[0].columns);
  };
  EXPECT_EQ(words("layer", "kernels,time_us"), "layer,kernels,time_us") << "the keys come first";
  EXPECT_EQ(words("layer,op", "time_us,op"), "layer,time_us,op") << "unless -c places them";
  EXPECT_EQ(mistake({"-r", "ops", "--by", "op", "-c", "layer,kernels", "t.db"}),
            "-c: 'layer' differs within the groups of --by; group by it: --by op,layer");
  EXPECT_EQ(mistake({"-r", "ops", "--sort", "layer", "t.db"}),
            "--sort: the lines of 'ops' have no 'layer'; group by it: --by ..., layer");
}

TEST_F(OptionsTest, LinesAreChosen) {
  const auto options =
      parse({"--where", "time_us > 1", "--sort", "Time_US:asc", "--top", "3", "t.db"});
  ASSERT_TRUE(options);
  const LineOptions& lines = options->reports[0].lines;
  EXPECT_EQ(lines.where, std::vector<std::string>{"time_us > 1"});
  EXPECT_TRUE(lines.ascending);
  EXPECT_EQ(lines.top, 3U);
  EXPECT_THAT(mistake({"--sort", "time", "t.db"}), HasSubstr("did you mean 'time_us'?"));
  EXPECT_THAT(mistake({"--sort", "op:up", "t.db"}), HasSubstr("orders are asc and desc"));
  EXPECT_THAT(mistake({"--top", "0", "t.db"}), HasSubstr("'0' is not a number of lines"));
  EXPECT_THAT(mistake({"-r", "layers", "--depth", "2", "--top", "3", "t.db"}),
              HasSubstr("--top: does not go with --depth"));
  EXPECT_THAT(mistake({"-r", "layers", "--depth", "2", "-f", "csv", "t.db"}),
              HasSubstr("only tables show trees"));
}

TEST_F(OptionsTest, OnlyRollUpsShowLayers) {
  for (const char* report : {"kernels", "steps", "summary", "api"}) {
    const auto expected = [&](std::string_view flag) {
      return StartsWith(std::string(flag)
                            .append(": report '")
                            .append(report)
                            .append("' has no lines of layers; reports that have: layers, ops"));
    };
    EXPECT_THAT(mistake({"-r", report, "--flat", "t.db"}), expected("--flat"));
    EXPECT_THAT(mistake({"-r", report, "--depth", "2", "t.db"}), expected("--depth"));
  }
  EXPECT_TRUE(parse({"-r", "ops", "--flat", "t.db"}));
}

TEST_F(OptionsTest, AMistypedOptionIsNotATrace) {
  EXPECT_EQ(mistake({"--topp", "10", "t.db"}), "unknown option '--topp'; did you mean '--top'?");
  EXPECT_EQ(mistake({"--colums=op", "t.db"}),
            "unknown option '--colums'; did you mean '--columns'?");
  EXPECT_EQ(mistake({"--qqqqqq", "t.db"}), "unknown option '--qqqqqq'; see prof-report --help");
}

}  // namespace
}  // namespace prof::reports
