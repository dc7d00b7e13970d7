// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/store/graph_events.hpp"

#include <string_view>
#include <utility>

namespace prof {
namespace {

// The numbers are those of GraphEventRow::Kind. Of one time, they are in the order in which one
// thread may have caused them.
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

class GraphEventCursor final : public RowCursor<GraphEventRow> {
 public:
  explicit GraphEventCursor(std::shared_ptr<TraceTables> tables) : tables_(std::move(tables)) {
    Result<Statement> rows = tables_->db.prepare(kEvents);
    if (rows) {
      rows_ = std::move(*rows);
    } else {
      status_ = rows.error();
    }
  }

  const GraphEventRow* next() override {
    if (!status_ || at_end_) return nullptr;
    const Statement::Step step = rows_.step();
    at_end_ = step != Statement::Step::kRow;
    if (step == Statement::Step::kRow) {
      read();
      return &row_;
    }
    if (step != Statement::Step::kDone) status_ = tables_->db.error("cannot be read");
    return nullptr;
  }

  [[nodiscard]] Status status() const override { return status_; }

 private:
  void read() {
    const auto word = [this](int column) {
      return static_cast<std::uint32_t>(rows_.integer(column));
    };
    row_.time_ns = rows_.integer(0);
    row_.kind = static_cast<GraphEventRow::Kind>(rows_.integer(1));
    row_.thread = ThreadId{word(2)};
    row_.graph = word(3);
    row_.node = rows_.unsigned_integer(4);
    row_.other = rows_.unsigned_integer(5);
    row_.node_type = word(6);
    row_.stack = rows_.unsigned_integer(7);
    row_.function = StringId{word(8)};
    row_.grid = {word(9), word(10), word(11)};
  }

  std::shared_ptr<TraceTables> tables_;
  Statement rows_;
  GraphEventRow row_;
  bool at_end_ = false;
  Status status_;
};

}  // namespace

std::unique_ptr<RowCursor<GraphEventRow>> make_graph_event_cursor(
    std::shared_ptr<TraceTables> tables) {
  return std::make_unique<GraphEventCursor>(std::move(tables));
}

}  // namespace prof
