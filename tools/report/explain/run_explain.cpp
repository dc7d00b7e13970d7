// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/explain/run_explain.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "analyzers/attributor.hpp"
#include "analyzers/explainer.hpp"
#include "libprof/base/count_text.hpp"
#include "tools/common/messages.hpp"
#include "tools/common/output.hpp"
#include "tools/report/explain/explain_output.hpp"
#include "tools/report/rows/reading.hpp"

namespace prof::reports {
namespace {

std::string text_in(const Cell& cell) {
  const auto* text = std::get_if<std::string_view>(&cell);
  return text != nullptr ? std::string(*text) : std::string();
}

/// Reads all rows: which kernels share an op's cost is known when its trace is read.
Result<ExplainedWork> explain_work(const RowInput& input, const Explainer& explainer,
                                   std::uint64_t idx) {
  RowsOf<WorkRow> rows(kKernels, input);
  ExplainedWork made;
  made.idx = idx;
  std::shared_ptr<const OpAttribution> op;
  std::vector<ShownSection> losses;
  TraceReader* of = nullptr;
  std::optional<Attribution> attribution;
  while (WorkRow* const row = rows.next()) {
    made.rows = row->idx();
    if (made.rows != idx) continue;
    made.kind = text_in(work_cells::kind(*row));
    made.name = text_in(work_cells::kernel_name(*row, false));
    made.full_name = text_in(work_cells::kernel_name(*row, true));
    made.sections = work_facts(*row);
    attribution = row->attribution();
    const auto member = std::ranges::find_if(input.traces.members(), [&](const TraceMember& one) {
      return &one.identity == &row->trace();
    });
    of = &member->reader;
    if (input.traces.size() > 1) made.trace = of->path();
    PROF_TRY(row->status());
  }
  PROF_TRY(rows.status());
  const Explanation* const explained = explainer.explanation();
  if (explained == nullptr || !attribution) {
    return Error{.what = "there is no row " + grouped(idx),
                 .where = "--explain",
                 .hint = made.rows == 0 ? "there are none" : "rows are 1 to " + grouped(made.rows)};
  }
  made.why = *explained;
  for (ShownSection& section : made.sections) {
    if (section.name == "cost") add_cost(made.why, *attribution->op, section);
  }
  std::ranges::move(loss_facts(made.why, *attribution, *of), std::back_inserter(made.sections));
  return made;
}

}  // namespace

int run_explain(const TraceSet& traces, const RowFilter& filter, std::uint64_t idx, Form form,
                const tools::Streams& streams) {
  constexpr std::string_view kProgram = "prof-report";
  Explainer explainer(idx);
  const auto attribute = [&](TraceReader& trace, TraceReader::Work work) {
    return attribute_work(
        trace, {.work = work, .range_options = filter.range_options, .explainer = &explainer});
  };
  Reading reading(attribute, Reading::Keeps::kNothing, traces.size(), streams.progress);
  Tally tally;
  const Result<ExplainedWork> work = explain_work({traces, reading, filter, tally}, explainer, idx);
  if (streams.progress != nullptr) streams.progress->finish();
  Status status = work ? Status{} : Status(work.error());
  for (const TraceMember& trace : traces.members()) {
    if (status) status = trace.reader.status();
  }
  if (!status) {
    tools::print_error(streams.err, kProgram, status.error().to_line());
    return tools::kFailed;
  }
  tools::Output output(streams.out);
  output.write(form == Form::kTable ? explained_text(*work)
                                    : explained_json(*work, form == Form::kJsonLines));
  output.flush();
  return tools::exit_code(output.error(), streams.err, kProgram);
}

}  // namespace prof::reports
