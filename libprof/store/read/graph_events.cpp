// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/read/graph_events.hpp"

#include <string_view>
#include <utility>

namespace prof {
namespace {

// The numbers are those of GraphEventRow::Kind. Events with the same time are in the order in which
// one thread may have caused them.
constexpr std::string_view kEvents = R"sql(
  SELECT ifnull(start_ns, 0) AS at, 0 AS kind, thread_id, graph_exec AS graph, 0 AS node, 0 AS other,
         0 AS node_type, 0 AS stack, 0 AS function, 0 AS x, 0 AS y, 0 AS z FROM graph_exec
  UNION ALL SELECT ifnull(time_ns, 0), 1, thread_id, graph, graph_node, original_node, node_type,
         range_id, function_id, grid_x, grid_y, grid_z FROM graph_node
  UNION ALL SELECT ifnull(time_ns, 0), 2, thread_id, graph, 0, 0, 0, 0, 0, 0, 0, 0 FROM graph_end
  UNION ALL SELECT ifnull(time_ns, 0), 3, thread_id, 0, graph_node, like_node, 0, range_id,
         0, 0, 0, 0 FROM graph_update
  UNION ALL SELECT ifnull(start_ns, 0) + ifnull(duration_ns, 0), 4, thread_id, graph_exec, 0, 0, 0,
         0, 0, 0, 0, 0 FROM graph_exec
  ORDER BY at, kind)sql";

constexpr std::string_view kLaunches = R"sql(
  SELECT g.correlation, g.graph_exec, a.correlation IS NOT NULL, a.thread_id, a.function_id,
         a.range_id, a.start_ns, a.duration_ns
  FROM graph_launch g LEFT JOIN api_call a ON a.correlation = g.correlation AND a.repeat = 0
   AND a.depth = (SELECT min(depth) FROM api_call WHERE correlation = g.correlation)
  ORDER BY g.correlation)sql";

void take(const TraceTables&, const Statement& from, GraphEventRow& row) {
  row.time_ns = from.integer(0);
  row.kind = static_cast<GraphEventRow::Kind>(from.integer(1));
  row.thread = ThreadId{uint32_at(from, 2)};
  row.graph = uint32_at(from, 3);
  row.node = from.unsigned_integer(4);
  row.other = from.unsigned_integer(5);
  row.node_type = uint32_at(from, 6);
  row.stack = from.unsigned_integer(7);
  row.function = StringId{uint32_at(from, 8)};
  row.grid = {uint32_at(from, 9), uint32_at(from, 10), uint32_at(from, 11)};
}

void take(const TraceTables& tables, const Statement& from, GraphLaunchRow& row) {
  row.correlation = from.unsigned_integer(0);
  row.graph_exec = uint32_at(from, 1);
  row.launched = from.integer(2) != 0;
  row.thread = ThreadId{uint32_at(from, 3)};
  row.function = row_or_default(tables.functions, from.integer(4)).name;
  row.stack = from.unsigned_integer(5);
  row.start_ns = from.integer(6);
  row.duration_ns = from.integer(7);
}

/// The rows of a statement, as records.
template <typename Row>
class StatementCursor final : public RowCursor<const Row> {
 public:
  StatementCursor(std::shared_ptr<TraceTables> tables, std::string_view sql)
      : tables_(std::move(tables)) {
    Result<Statement> rows = tables_->db.prepare(sql);
    if (rows) {
      rows_ = std::move(*rows);
    } else {
      status_ = rows.error();
    }
  }

  const Row* next() override {
    if (!status_ || at_end_) return nullptr;
    const Statement::Step step = rows_.step();
    at_end_ = step != Statement::Step::kRow;
    if (step == Statement::Step::kRow) {
      take(*tables_, rows_, row_);
      return &row_;
    }
    if (step != Statement::Step::kDone) status_ = tables_->db.error("cannot be read");
    return nullptr;
  }

  [[nodiscard]] Status status() const override { return status_; }

 private:
  std::shared_ptr<TraceTables> tables_;
  Statement rows_;
  Row row_;
  bool at_end_ = false;
  Status status_;
};

}  // namespace

std::unique_ptr<RowCursor<const GraphEventRow>> make_graph_event_cursor(
    std::shared_ptr<TraceTables> tables) {
  return std::make_unique<StatementCursor<GraphEventRow>>(std::move(tables), kEvents);
}

std::unique_ptr<RowCursor<const GraphLaunchRow>> make_graph_launch_cursor(
    std::shared_ptr<TraceTables> tables) {
  return std::make_unique<StatementCursor<GraphLaunchRow>>(std::move(tables), kLaunches);
}

}  // namespace prof
