// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests of SQL over row kinds, on traces in memory: what the tables say, what a statement may not
// do, and that every SQL report describes what it selects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <string_view>

#include "tests/unit/tools/report/fakes.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/query/query.hpp"
#include "tools/report/query/sql_report.hpp"

namespace prof::reports {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Sql : public testing::Test {
 protected:
  std::string printed(std::string_view sql, std::string_view form_word = "csv") {
    return output_of([&](tools::Output& output) {
      const FormInfo& info = form(form_word);
      const auto renderer = info.make(output, {});
      const RowFilter all;
      Tally tally;
      const auto attribute = [this](TraceReader&, TraceReader::Work) {
        ++attributions_;
        return std::make_unique<LentWork>(work_);
      };
      Reading reading(attribute, Reading::Keeps::kNothing, 1);
      const Status status = print_query({traces_, reading, all, tally}, sql, info.form, *renderer);
      if (!status) output.write("error: " + status.error().to_line() + "\n");
    });
  }

  FakeTrace trace_;
  FakeWork work_;
  TraceSet traces_ = traces_of({&trace_});
  int attributions_ = 0;
};

TEST_F(Sql, GlobReadsPatternsAsOptionsDo) {
  EXPECT_EQ(printed("SELECT 'blocks[3].fc' GLOB 'blocks[*].fc' AS one, 'b' GLOB '[!a]' AS two, "
                    "'B' GLOB 'b' AS three, NULL GLOB 'b' AS four"),
            "one,two,three,four\n1,1,0,\n");
}

TEST_F(Sql, StepsAreKnownByTheTextsOfTheirRanges) {
  EXPECT_EQ(printed("SELECT step_number('step:7') AS one, step_number('ProfilerStep#8') AS two, "
                    "step_number('Train step x') AS three, step_number(NULL) AS four"),
            "one,two,three,four\n7,8,,\n");
}

TEST_F(Sql, TablesHaveTheFieldsOfTheirKind) {
  auto& item = work_.kernel("gemm", 1500);
  item.facts.tensor_core = TensorCore::kYes;
  item.op.layer = "fc1";
  item.op.tensors = {{.name = "x", .dtype = DType::kFloat16, .shape = {2, 3}}};
  item.attribution.cost.flops = 100;
  trace_.configs_[1].grid = {8, 4, 1};
  EXPECT_EQ(printed("SELECT kernel, layer, tc, time_ns, time_us, flops, m, grid, inputs, trace "
                    "FROM attributed_kernels"),
            "kernel,layer,tc,time_ns,time_us,flops,m,grid,inputs,trace\n"
            "gemm,fc1,1,1500,1.5,100,,\"[8,4,1]\",\"[[2,3]]\",test.db\n");
}

TEST_F(Sql, AbsentIsNullAndTypesAreRight) {
  work_.kernel("k", 0).attribution.cost.flops = 5;
  EXPECT_EQ(printed("SELECT typeof(kernel) a, typeof(time_ns) b, typeof(flops) c, typeof(idx) d "
                    "FROM attributed_work"),
            "a,b,c,d\ntext,null,real,integer\n");
}

TEST_F(Sql, FiltersSortsAndSums) {
  work_.kernel("a", 1);
  work_.kernel("b", 2);
  work_.kernel("a", 4);
  EXPECT_EQ(printed("SELECT kernel, sum(time_ns) AS ns FROM attributed_kernels GROUP BY 1 ORDER BY "
                    "2 DESC"),
            "kernel,ns\na,5\nb,2\n");
}

TEST_F(Sql, OtherTablesDoNotAttribute) {
  trace_.strings_[1] = "cudaMalloc";
  trace_.api_calls_.resize(1);
  trace_.api_calls_[0].function = StringId{1};
  trace_.api_calls_[0].duration_ns = 10;
  EXPECT_EQ(printed("SELECT function, sum(time_ns) ns FROM cuda_calls"),
            "function,ns\ncudaMalloc,10\n");
  for (const char* table : {"nvtx_ranges", "nvtx_marks", "synchronizations", "overheads"}) {
    EXPECT_EQ(printed(std::string("SELECT count(*) n FROM ") + table), "n\n0\n");
  }
  EXPECT_EQ(attributions_, 0);
}

TEST_F(Sql, ValuesKeepTheirForms) {
  EXPECT_EQ(printed("SELECT 1 a, 2.5 b, 'x,y' c, NULL d, '' e, x'00ff' f", "json"),
            "[\n{\"a\":1,\"b\":2.5,\"c\":\"x,y\",\"d\":null,\"e\":\"\",\"f\":\"00ff\"}\n]\n");
  EXPECT_EQ(printed("SELECT 'a' t, 0.25 n UNION ALL SELECT 'long', 12345", "table"),
            "t         n\n----  -----\na      0.25\nlong  12345\n");
  EXPECT_EQ(printed("SELECT 1 a WHERE 0", "table"), "a\n-\n");
}

TEST_F(Sql, ListsCanBeTakenApart) {
  EXPECT_EQ(printed("SELECT value v FROM json_each('[7,8]')"), "v\n7\n8\n");
  EXPECT_EQ(printed("SELECT count(*) n FROM json_tree('{\"a\":[1]}')"), "n\n3\n");
}

TEST_F(Sql, ColumnsOnRequestHaveToBeNamed) {
  work_.kernel("k", 5);
  EXPECT_EQ(printed("SELECT operation, range_id FROM attributed_kernels"),
            "operation,range_id\nk,\n");
  EXPECT_THAT(printed("SELECT * FROM attributed_kernels"), testing::Not(HasSubstr("operation")));
}

TEST_F(Sql, MedianAndDeviationAreExact) {
  const auto result = [this](std::string_view function, std::string_view values) {
    return printed("SELECT " + std::string(function) + "(column1) r FROM (VALUES " +
                   std::string(values) + ")");
  };
  EXPECT_EQ(result("median", "(9),(1),(4)"), "r\n4\n");
  EXPECT_EQ(result("median", "(9),(1),(4),(NULL),(5)"), "r\n4.5\n");
  EXPECT_EQ(result("median", "(NULL)"), "r\n\n");
  EXPECT_EQ(result("median", "(-7)"), "r\n-7\n");
  EXPECT_EQ(result("median", "(1.5e308),(1.7e308)"), "r\n1.6e+308\n") << "no overflow";
  EXPECT_EQ(result("p95", "(10),(20),(NULL),(30)"), "r\n29\n") << "as numpy.percentile";
  EXPECT_EQ(result("p95", "(7)"), "r\n7\n");
  EXPECT_EQ(result("p95", "(NULL)"), "r\n\n");
  EXPECT_EQ(result("stddev_samp", "(2),(4),(4),(4),(5),(5),(7),(9),(NULL)"),
            "r\n2.138089935299395\n");
  EXPECT_EQ(result("stddev_pop", "(2),(4),(4),(4),(5),(5),(7),(9)"), "r\n2\n");
  EXPECT_EQ(result("stddev_samp", "(5)"), "r\n\n") << "unknown";
  EXPECT_EQ(result("stddev_pop", "(5)"), "r\n0\n");
  EXPECT_EQ(result("stddev_samp", "(NULL),(NULL)"), "r\n\n");
  EXPECT_EQ(result("stddev_samp", "(1795219157000000001),(1795219157000000257)"),
            "r\n181.01933598375618\n")
      << "large values keep their difference";
}

TEST_F(Sql, EachGroupHasItsOwnMedian) {
  work_.kernel("a", 1);
  work_.kernel("b", 8);
  work_.kernel("a", 3);
  EXPECT_EQ(printed("SELECT kernel, median(time_ns) m FROM attributed_kernels GROUP BY 1"),
            "kernel,m\na,2\nb,8\n");
}

TEST_F(Sql, AStatementThatFailsIsOneLine) {
  EXPECT_EQ(printed("SELECT nope FROM attributed_work"),
            "error: SQL: no such column: nope; its columns: prof-report --list attributed_work\n");
  EXPECT_EQ(printed("SELEC 1"), "error: SQL: near \"SELEC\": syntax error\n");
  EXPECT_EQ(printed(""), "error: SQL: no statement; give one SELECT\n");
  EXPECT_EQ(printed("SELECT 1; SELECT 2"),
            "error: SQL: more than one statement; give one SELECT\n");
  EXPECT_EQ(printed("SELECT 1 a; -- and no more\n"), "a\n1\n");
  EXPECT_THAT(printed("SELECT 1 a, 2 a", "json"), HasSubstr("column 'a' occurs twice"));
  EXPECT_EQ(printed("SELECT 1 a, 2 a"), "a,a\n1,2\n");
}

TEST_F(Sql, AMistypedNameGetsTheNearest) {
  const auto hint_of = [this](std::string_view sql) {
    const std::string line = printed(sql);
    const std::size_t at = line.find("; ");
    return at == std::string::npos ? line : line.substr(at + 2);
  };
  EXPECT_EQ(hint_of("SELECT * FROM atributed_kernels"), "did you mean 'attributed_kernels'?\n");
  EXPECT_EQ(hint_of("SELECT * FROM main.step_time"), "did you mean 'step_times'?\n");
  EXPECT_EQ(hint_of("SELECT * FROM xyzzy"), "prof-report --list all shows the tables\n");
  EXPECT_EQ(hint_of("SELECT tme_ns FROM attributed_kernels"), "did you mean 'time_ns'?\n");
  EXPECT_EQ(hint_of("SELECT k.launch_tim_ns FROM attributed_kernels k"),
            "did you mean 'launch_time_ns'?\n")
      << "a column that SELECT * leaves out";
  EXPECT_EQ(hint_of("SELECT overlap FROM nvtx_marks, step_times"), "did you mean 'overlap_ns'?\n");
  EXPECT_EQ(hint_of("SELECT medain(time_ns) FROM attributed_kernels"), "did you mean 'median'?\n");
  EXPECT_EQ(hint_of("SELECT nope"), "error: SQL: no such column: nope\n");
}

TEST_F(Sql, AStatementOnlyReads) {
  for (const char* sql :
       {"CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "ATTACH 'x.db' AS x", "PRAGMA user_version",
        "DELETE FROM attributed_work", "DROP TABLE temp.attributed_work", "VACUUM INTO 'x.db'",
        "BEGIN", "SELECT load_extension('x.so')", "SELECT * FROM pragma_table_info('x')"}) {
    EXPECT_THAT(printed(sql), StartsWith("error: ")) << sql;
  }
}

TEST_F(Sql, AnErrorOfTheTraceEndsTheStatement) {
  work_.kernel("k", 5);
  work_.status_ = Error{.what = "is damaged", .where = "x.db", .hint = ""};
  EXPECT_THAT(printed("SELECT kernel FROM attributed_kernels"),
              testing::AllOf(StartsWith("kernel\nk\nerror: "), HasSubstr("x.db: is damaged")));
}

TEST_F(Sql, ReportsDescribeWhatTheySelect) {
  Registry registry;
  register_reports(registry);
  int sql_reports = 0;
  for (const auto& report : registry.all()) {
    const auto* const sql = dynamic_cast<const SqlReport*>(report.get());
    if (sql == nullptr) continue;
    ++sql_reports;
    const ReportInfo& info = report->info();
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_FALSE(info.table.empty()) << info.name;
    Tally tally;
    const RowFilter all;
    std::vector<std::size_t> asked(info.columns.size());
    std::iota(asked.begin(), asked.end(), std::size_t{0});
    Reading reading(never_attributed, Reading::Keeps::kNothing, 1);
    const auto query = Query::open({traces_, reading, all, tally}, sql->sql(asked));
    EXPECT_TRUE(Query::open({traces_, reading, all, tally}, sql->sql({}))) << info.name;
    ASSERT_TRUE(query) << info.name << ": " << query.error().to_line();
    std::vector<std::string> described;
    for (const Column& column : info.columns) {
      described.emplace_back(column.word);
      EXPECT_FALSE(column.header.empty() || column.help.empty()) << info.name << column.word;
    }
    EXPECT_EQ((*query)->columns(), described) << info.name;
  }
  EXPECT_GT(sql_reports, 0);
}

TEST_F(Sql, ReportsGroupByColumnsOnRequest) {
  for (const char* layer : {"a", "b", "a"}) {
    FakeWork::Item& item = work_.kernel("k", 1000);
    item.op.op = "linear";
    item.op.layer = layer;
  }
  const auto csv = [this](std::string_view columns) {
    FakeWork work = work_;
    return reported({"roofline", "csv", columns, {}, {}, {}}, trace_, work);
  };
  EXPECT_EQ(csv("op,kernels"), "op,kernels\nlinear,3\n");
  EXPECT_EQ(csv("layer,op,kernels"), "layer,op,kernels\na,linear,2\nb,linear,1\n");
  EXPECT_THAT(csv(""), testing::Not(HasSubstr("layer"))) << "unless it is asked for";
}

TEST_F(Sql, ReportsOfNsysHaveItsHeadingsInCsv) {
  Registry registry;
  register_reports(registry);
  int of_nsys = 0;
  for (const auto& report : registry.all()) {
    const ReportInfo& info = report->info();
    if (!info.name.starts_with("nvtx_") && !info.name.starts_with("cuda_")) continue;
    ++of_nsys;
    std::set<std::string_view> headings;
    for (const Column& column : info.columns) {
      EXPECT_EQ(column.csv, column.header) << info.name;
      EXPECT_TRUE(column.unit.empty()) << info.name;
      EXPECT_TRUE(headings.insert(column.csv).second) << info.name << ": " << column.csv;
    }
  }
  EXPECT_GE(of_nsys, 18);
  work_.kernel("k", 5);
  EXPECT_EQ(reported("cuda_gpu_kern_sum", trace_, work_, "csv", "name,total_ns,time_pct"),
            "Name,Total Time (ns),Time (%)\nk,5,100\n");
  FakeWork again;
  again.kernel("k", 5);
  EXPECT_EQ(reported("cuda_gpu_kern_sum", trace_, again, "json", "name,total_ns"),
            "[\n{\"name\":\"k\",\"total_ns\":5}\n]\n");
}

TEST_F(Sql, StreamsAreBusyAndIdle) {
  const auto work = [this](std::int64_t start_ns, std::int64_t duration_ns, std::uint32_t stream) {
    GpuRow& row = work_.kernel("k", duration_ns).gpu;
    row.start_ns = start_ns;
    row.stream = stream;
  };
  work(1000, 500, 7);
  work(2000, 1000, 7);
  work(0, 100, 8);
  GpuRow& copy = work_.copy(GpuRow::Kind::kMemcpy, 64, 50).gpu;
  copy.start_ns = 200;
  copy.stream = 8;
  EXPECT_EQ(reported("streams", trace_, work_, "csv"),
            "trace,rank,device,stream,kernels,copies,busy_ns,idle_ns,first_ns,last_ns\n"
            "test.db,,0,7,2,0,1500,500,1000,3000\n"
            "test.db,,0,8,1,1,150,100,0,250\n");
}

TEST_F(Sql, AReportOfSqlTakesColumns) {
  work_.kernel("k", 1000);
  EXPECT_EQ(reported("streams", trace_, work_, "table", "stream,busy_ns"),
            "Stream  Busy(ms)\n------  --------\n     0   0.00100\n");
}

}  // namespace
}  // namespace prof::reports
