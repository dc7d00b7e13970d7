// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables and views that `prof-report --save` adds to a trace: tables of values that repeat from
// row to row, a narrow row for each piece of GPU work, and views that join them. A column of
// saved_op, saved_kernel_name or saved_attribution that has the name of a report's column holds
// that column's cells. The views are plain SQL, so that old versions of SQLite can read them, too.
#include <array>

#include "libprof/store/schema/schema.hpp"

namespace prof::schema {
namespace {

// clang-format off
constexpr std::string_view kId = "INTEGER PRIMARY KEY";
constexpr std::string_view kInt = "INTEGER";
constexpr std::string_view kNotNull = "INTEGER NOT NULL";
constexpr std::string_view kReal = "REAL";
constexpr std::string_view kText = "TEXT";
constexpr std::string_view kColumn = "see docs/columns.md";

// Frozen: by this table every version recognizes whether the others are an analysis.
constexpr std::array kAnalysis = {
    Column{"id", kId, "always 1"},
    Column{"analyzers", "TEXT NOT NULL", "version of what attributed"},
    Column{"domains", "TEXT NOT NULL", "JSON array of the NVTX domains given by --domain"},
    Column{"objects", "TEXT NOT NULL", "name and checksum of every table and view that was made"},
};
constexpr std::array kTrace = {
    Column{"id", kId, "always 1"},
    Column{"trace", kText, "name of the trace's file when it was saved"},
    Column{"rank", kInt, kColumn},
    Column{"host", kText, kColumn},
    Column{"run", kText, kColumn},
};
constexpr std::array kOp = {
    Column{"id", kId, ""},
    Column{"dir", kText, kColumn},
    Column{"part", kText, kColumn},
    Column{"layer", kText, kColumn},
    Column{"op", kText, kColumn},
    Column{"op_inner", kText, kColumn},
    Column{"params", kText, kColumn},
    Column{"inputs", kText, kColumn},
    Column{"m", kInt, kColumn},
    Column{"n", kInt, kColumn},
    Column{"k", kInt, kColumn},
    Column{"batch", kInt, kColumn},
    Column{"dtype", kText, kColumn},
    Column{"mod", kText, kColumn},
    Column{"source", kText, kColumn},
    Column{"recompute", kText, kColumn},
};
constexpr std::array kKernelName = {
    Column{"id", kId, ""},
    Column{"kernel", kText, kColumn},
    Column{"kernel_full", kText, kColumn},
    Column{"tc", kInt, kColumn},
    Column{"family", kText, kColumn},
    Column{"tile", kText, kColumn},
    Column{"instruction", kText, kColumn},
    Column{"operand", kText, kColumn},
    Column{"accumulator", kText, kColumn},
    Column{"output", kText, kColumn},
    Column{"layout", kText, kColumn},
    Column{"split_k", kInt, kColumn},
};
constexpr std::array kAttribution = {
    Column{"id", kId, ""},
    Column{"work", kNotNull, "0 kernel, 1 memory copy, 2 memory set"},
    Column{"saved_op_id", kNotNull, "saved_op.id"},
    Column{"saved_kernel_name_id", kNotNull, "saved_kernel_name.id"},
    Column{"origin_id", kNotNull, "work_origin.id"},
    Column{"op_offset", kInt, "range.id of the launch's innermost range less that of its op, in a replay saved_work.replay_id less op_id; NULL: no op"},
    Column{"altseq1_offset", kInt, "first number of altseq less seq; NULL: there is none"},
    Column{"altseq2_offset", kInt, "likewise, second number"},
    Column{"altseq3_offset", kInt, "likewise, third number"},
    Column{"provenance", kText, kColumn},
    Column{"role", kText, kColumn},
    Column{"share", kReal, kColumn},
    Column{"flops", kReal, kColumn},
    Column{"attributed_bytes", kReal, "the kernel's share of the bytes that its op must move"},
    Column{"bytes_read", kReal, kColumn},
    Column{"bytes_written", kReal, kColumn},
    Column{"algorithm_bytes", kReal, "of a collective: what alg_gb_per_s divides by time"},
    Column{"bus_bytes", kReal, "likewise, bus_gb_per_s"},
    Column{"sub", kInt, kColumn},
    Column{"contradicts", kText, kColumn},
    Column{"origin", kText, kColumn},
    Column{"graph_node", kInt, kColumn},
    Column{"launch_layer", kText, kColumn},
    Column{"memory", kText, kColumn},
    Column{"memory_to", kText, kColumn},
};
constexpr std::array kWork = {
    Column{"number", kId, "over kernels, copies and sets in launch order, from 1"},
    Column{"correlation", kNotNull, "with saved_attribution.origin_id and repeat, the key of the row in kernel, memcpy or memset"},
    Column{"repeat", kNotNull, ""},
    Column{"attribution_id", kNotNull, "saved_attribution.id"},
    Column{"seq", kInt, kColumn},
    Column{"replay_id", kInt, "from where op_id counts in the replay of a graph; NULL: no replay"},
    Column{"launch_correlation", kInt, "of the launching call, for work in the body of a graph's conditional node, which has no correlation; else NULL"},
    Column{"model_ns", kReal, "time predicted by the roofline model; NULL: unknown"},
    Column{"bound", kInt, "what limits it by that model: 1 compute, 2 memory, 3 L2, 4 latency; NULL: unknown"},
};
constexpr std::array kRun = {
    Column{"first_number", kId, "saved_work.number; the run ends where the next one begins"},
    Column{"step", kInt, kColumn},
    Column{"copies_before", kNotNull, "number of copies and sets with smaller numbers"},
};

constexpr std::array kSavedTables = {
    Table{"saved_analysis", "One row: which analysis the trace holds.", kAnalysis, ""},
    Table{"saved_trace", "One row if there is GPU work: the identity of the trace.", kTrace, ""},
    Table{"saved_op", "Ops that launched GPU work, without duplicates.", kOp, ""},
    Table{"saved_kernel_name", "Facts derived from kernel names, and names of copies, without duplicates.", kKernelName, ""},
    Table{"saved_attribution", "Attributions shared by launches, without duplicates.", kAttribution, ""},
    Table{"saved_work", "One row per kernel, copy or set: values that do not repeat.", kWork, ""},
    Table{"saved_run", "Successive work of the same step: kernels alone, or copies and sets alone.", kRun, ""},
};
// clang-format on

/// Columns of both views, after the row's number. @DUR, @START and @QUEUE stand for those of the
/// work, as stored. Rarely used columns are subqueries: joins slow down every aggregating query.
constexpr std::string_view kColumns = R"sql(
         o.dir, o.part, o.layer, o.op, ifnull(w.replay_id, a.range_id) - t.op_offset AS op_id, o.op_inner, o.params,
         o.inputs, o.m, o.n, o.k, o.batch, o.dtype, n.kernel, n.kernel_full,
         CASE WHEN @DUR > 0 THEN @DUR / 1000.0 END AS time_us,
         CASE WHEN @DUR > 0 THEN @DUR END AS time_ns,
         CASE WHEN @DUR > 0 THEN @DUR END AS sil,
         CASE WHEN @DUR > 0 THEN ifnull(@START, 0) END AS start_ns,
         t.flops, @BYTES AS bytes, n.tc,
         ifnull((SELECT q.device FROM queue q WHERE q.id = @QUEUE), 0) AS device,
         ifnull((SELECT q.stream FROM queue q WHERE q.id = @QUEUE), 0) AS stream,
         nullif(a.thread_id, 0) AS thread,
         '[' || g.grid_x || ',' || g.grid_y || ',' || g.grid_z || ']' AS grid,
         '[' || g.block_x || ',' || g.block_y || ',' || g.block_z || ']' AS block,
         (SELECT r.step FROM saved_run r WHERE r.first_number <= w.number
          ORDER BY r.first_number DESC LIMIT 1) AS step,
         t.provenance, t.role, t.share, g.registers_per_thread AS registers,
         g.static_shared_bytes + g.dynamic_shared_bytes AS shared,
         (SELECT nullif(s.text, '') FROM api_function f JOIN string s ON s.id = f.name_id
          WHERE f.id = a.function_id) AS launch,
         CASE WHEN a.correlation IS NOT NULL THEN ifnull(a.start_ns, 0) END AS launch_ns,
         nullif(ifnull(w.launch_correlation, w.correlation), 0) AS correlation, t.origin,
         CASE t.work WHEN 0 THEN 'kernel' WHEN 1 THEN 'memcpy' ELSE 'memset' END AS kind,
         t.memory, t.memory_to,
         CASE WHEN @DUR > 0 THEN t.flops / @DUR * 0.001 END AS tflop_per_s,
         CASE WHEN @DUR > 0 THEN @BYTES * 1.0 / @DUR END AS gb_per_s,
         CASE WHEN t.attributed_bytes > 0 THEN t.flops / t.attributed_bytes END AS intensity,
         CASE WHEN w.model_ns > 0 AND @DUR > 0 THEN 100.0 * w.model_ns / @DUR END AS roofline_pct,
         CASE w.bound WHEN 1 THEN 'compute' WHEN 2 THEN 'memory' WHEN 3 THEN 'L2'
                      WHEN 4 THEN 'latency' END AS bound,
         n.family, n.tile, n.instruction, n.operand, n.accumulator, n.output, n.layout, n.split_k,
         t.contradicts, t.bytes_read, t.bytes_written,
         CASE WHEN @DUR > 0 THEN t.algorithm_bytes / @DUR END AS alg_gb_per_s,
         CASE WHEN @DUR > 0 THEN t.bus_bytes / @DUR END AS bus_gb_per_s,
         w.seq, (w.seq + t.altseq1_offset) || ifnull(',' || (w.seq + t.altseq2_offset), '')
                || ifnull(',' || (w.seq + t.altseq3_offset), '') AS altseq,
         (SELECT th.os_tid FROM thread th WHERE th.id = a.thread_id) AS tid, t.sub, o.mod, o.source, t.graph_node, t.launch_layer, o.recompute,
         (SELECT id.trace FROM saved_trace id) AS trace, (SELECT id.rank FROM saved_trace id) AS rank,
         (SELECT id.host FROM saved_trace id) AS host, (SELECT id.run FROM saved_trace id) AS run
  FROM saved_work w
  LEFT JOIN saved_attribution t ON t.id = w.attribution_id
  LEFT JOIN saved_op o ON o.id = t.saved_op_id
  LEFT JOIN saved_kernel_name n ON n.id = t.saved_kernel_name_id
  LEFT JOIN kernel k ON k.correlation = CASE t.work WHEN 0 THEN w.correlation END
                    AND k.origin_id = t.origin_id AND k.repeat = w.repeat
  LEFT JOIN launch_config g ON g.id = k.config_id AND g.grid_x <> 0)sql";

/// The launch: the outermost call of the correlation that was recorded.
constexpr std::string_view kLaunch = R"sql(
  LEFT JOIN api_call a
    ON a.correlation = nullif(ifnull(w.launch_correlation, w.correlation), 0) AND a.repeat = 0
   AND a.depth = (SELECT min(inner_call.depth) FROM api_call inner_call
                  WHERE inner_call.correlation = ifnull(w.launch_correlation, w.correlation)))sql";

constexpr std::string_view kKernelNumber = R"sql(
  SELECT w.number - (SELECT r.copies_before FROM saved_run r WHERE r.first_number <= w.number
                     ORDER BY r.first_number DESC LIMIT 1) AS idx,)sql";
constexpr std::string_view kWorkNumber = R"sql(
  SELECT w.number AS idx,)sql";

constexpr std::string_view kSavedCopies = R"sql(
  LEFT JOIN memcpy c ON c.correlation = CASE t.work WHEN 1 THEN w.correlation END
                    AND c.origin_id = t.origin_id AND c.repeat = w.repeat
  LEFT JOIN memset s ON s.correlation = CASE t.work WHEN 2 THEN w.correlation END
                    AND s.origin_id = t.origin_id AND s.repeat = w.repeat)sql";

/// Columns that are equal, or nearly so, for all rows of an instance come from its first row.
constexpr std::string_view kOps = R"sql(
  SELECT op_id, step, dir, part, layer, op, op_inner, params, inputs, dtype, seq, mod,
         min(idx) AS first_idx, sum(kind = 'kernel') AS kernels, sum(kind <> 'kernel') AS copies,
         sum(CASE kind WHEN 'kernel' THEN time_ns END) AS time_ns, sum(flops) AS flops,
         sum(CASE kind WHEN 'kernel' THEN bytes END) AS bytes
  FROM attributed_work WHERE op_id IS NOT NULL GROUP BY op_id)sql";

struct Placeholder {
  std::string_view word, sql;
};

std::string substitute(std::string text, std::span<const Placeholder> placeholders) {
  for (const Placeholder& one : placeholders) {
    for (std::size_t at = 0; (at = text.find(one.word, at)) != std::string::npos;) {
      text.replace(at, one.word.size(), one.sql);
      at += one.sql.size();
    }
  }
  return text;
}

std::string join(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

std::string kernels_select() {
  constexpr Placeholder kPlaceholders[] = {{"@DUR", "k.duration_ns"},
                                           {"@START", "k.start_ns"},
                                           {"@QUEUE", "k.queue_id"},
                                           {"@BYTES", "t.attributed_bytes"}};
  return substitute(join({kKernelNumber, kColumns, kLaunch, "\n  WHERE t.work = 0"}),
                    kPlaceholders);
}

std::string work_select() {
  constexpr Placeholder kPlaceholders[] = {
      {"@DUR", "coalesce(k.duration_ns, c.duration_ns, s.duration_ns)"},
      {"@START", "coalesce(k.start_ns, c.start_ns, s.start_ns)"},
      {"@QUEUE", "coalesce(k.queue_id, c.queue_id, s.queue_id)"},
      {"@BYTES", "CASE t.work WHEN 0 THEN t.attributed_bytes ELSE coalesce(c.bytes, s.bytes) END"}};
  return substitute(join({kWorkNumber, kColumns, kSavedCopies, kLaunch}), kPlaceholders);
}

}  // namespace

std::span<const Table> saved_tables() { return kSavedTables; }

std::span<const View> saved_views() {
  static const std::string kernels = kernels_select();
  static const std::string work = work_select();
  static const std::array views = {
      View{"attributed_kernels", "Kernels in launch order with the columns of `-r kernels`.",
           kernels},
      View{"attributed_work", "Kernels, copies and sets in launch order; columns of `-r gpu`.",
           work},
      View{"attributed_ops", "Op instances that launched GPU work.", kOps},
  };
  return views;
}

}  // namespace prof::schema
