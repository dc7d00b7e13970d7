// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/explain/explain_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "libprof/base/count_text.hpp"
#include "tools/common/unicode.hpp"
#include "tools/report/rows/range_name.hpp"
#include "tools/report/table/value_text.hpp"

namespace prof::reports {
namespace {

std::string shown(std::string_view text) {
  std::string safe;
  tools::append_printable(text, safe);
  return safe;
}

/// A range's text without its attributes; the JSON has all of it.
std::string range_text(const ExplainedRange& range) {
  if (range.range == 0) return range.text;
  const RangeName of = name_of_range(range.text);
  return of.inputs.empty() ? of.name : of.name + " " + of.inputs;
}

std::string or_none(std::string_view text) { return text.empty() ? "-" : shown(text); }

void append_range(const ExplainedRange& range, std::string& out) {
  const std::string indent(2 + 4 * std::size_t{range.depth}, ' ');
  const auto line = [&](const std::string& text) { out += indent + "    " + text + "\n"; };
  const bool is_read = !range.dialect.empty();
  const std::string by =
      fmt::format("{}{}{}; {}, {}", range.range != 0 ? fmt::format("range {}: ", range.range) : "",
                  range.by.what, is_read ? " in dialect " + std::string(range.dialect) : "",
                  range.by.rule, range.by.file);
  const std::string text = shown(range_text(range));
  out += indent + (text.empty() ? by : text) + "\n";
  if (!text.empty()) line(by);
  if (!range.problem.empty()) line("malformed: " + shown(range.problem));
  for (const ExplainedRange::Lead& lead : range.leads) {
    const std::string to = lead.range != 0 ? fmt::format("range {}", lead.range) : "not found";
    line(fmt::format("{}: {}{}; {}, {}", lead.by.what, to, lead.how.empty() ? "" : " " + lead.how,
                     lead.by.rule, lead.by.file));
  }
  for (const FactChange& change : range.changes) {
    line(fmt::format("{}: {} -> {}{}", change.what, or_none(change.before), or_none(change.after),
                     range.is_for_inner ? " (for what is opened inside)" : ""));
  }
  if (range.changes.empty()) line("no change");
}

std::string share_text(const SharingWork& work) {
  if (!work.is_main) return "none";
  return work.share >= 1 ? "all" : fmt::format("{:.3g}", work.share);
}

std::string sharing_text(const Explanation& why) {
  std::string text;
  for (const SharingWork& one : why.sharing) {
    text += fmt::format("  {:<26}{} {}, {} of the cost\n", text.empty() ? "kernels_of_the_op" : "",
                        one.idx, shown(one.name), share_text(one));
  }
  if (why.in_instance > why.sharing.size()) {
    text += fmt::format("  {:<26}and {} more\n", "", grouped(why.in_instance - why.sharing.size()));
  }
  return text;
}

std::string quoted(std::string_view text) {
  std::string json;
  append_json(Cell{std::in_place_type<std::string_view>, text}, json);
  return json;
}

std::string or_null(std::string_view text) { return text.empty() ? "null" : quoted(text); }

template <typename Items, typename ToJson>
std::string list_of(const Items& items, ToJson to_json) {
  std::string list;
  for (const auto& item : items) list.append(list.empty() ? "" : ",").append(to_json(item));
  return "[" + list + "]";
}

std::string json_of(const FactChange& change) {
  return fmt::format(R"({{"what":{},"before":{},"after":{}}})", quoted(change.what),
                     or_null(change.before), or_null(change.after));
}

std::string rule_json(const RuleName& rule) {
  return fmt::format(R"("meaning":{},"rule":{},"file":{})", quoted(rule.what), quoted(rule.rule),
                     quoted(rule.file));
}

std::string json_of(const ExplainedRange::Lead& lead) {
  return fmt::format(R"({{{},"range_id":{},"how":{}}})", rule_json(lead.by),
                     lead.range != 0 ? std::to_string(lead.range) : "null", or_null(lead.how));
}

std::string json_of(const ExplainedRange& range) {
  return fmt::format(
      R"({{"depth":{},"range_id":{},"text":{},"dialect":{},{},"problem":{},"leads":{},)"
      R"("changes":{},"for_inner":{}}})",
      range.depth, range.range != 0 ? std::to_string(range.range) : "null", or_null(range.text),
      or_null(range.dialect), rule_json(range.by), or_null(range.problem),
      list_of(range.leads, [](const auto& lead) { return json_of(lead); }),
      list_of(range.changes, [](const auto& change) { return json_of(change); }),
      range.is_for_inner);
}

std::string json_of(const SharingWork& work) {
  return fmt::format(R"({{"idx":{},"kernel":{},"main":{},"share":{}}})", work.idx,
                     quoted(work.name), work.is_main, work.share);
}

std::string json_of(const ShownSection& section) {
  std::string members;
  for (const ShownFact& fact : section.facts) {
    members += fmt::format("{}{}:{}", members.empty() ? "" : ",", quoted(fact.key), fact.json);
  }
  if (!section.absent.empty()) members += ",\"absent\":{" + section.absent + "}";
  return "{" + members + "}";
}

}  // namespace

std::string explained_text(const ExplainedWork& work) {
  std::string out = fmt::format("{} {} of {}: {}\n", work.kind, grouped(work.idx),
                                grouped(work.rows), shown(work.name));
  if (work.full_name != work.name) out += "  " + shown(work.full_name) + "\n";
  if (!work.trace.empty()) out += "  trace: " + shown(work.trace) + "\n";
  for (const ShownSection& section : work.sections) {
    if (section.name == "attribution") {
      out += "\nranges, outermost first\n";
      for (const ExplainedRange& range : work.why.ranges) append_range(range, out);
      if (work.why.ranges.empty()) out += "  none\n";
      for (const FactChange& change : work.why.differences) {
        out += fmt::format("  read again, {} is {}; the kernel was attributed with {}\n",
                           change.what, or_none(change.after), or_none(change.before));
      }
    }
    std::string heading(section.name);
    std::ranges::replace(heading, '_', ' ');
    out += "\n" + heading + "\n";
    const std::size_t before = out.size();
    for (const ShownFact& fact : section.facts) {
      std::string_view key = fact.key;
      if (key.ends_with("_ns")) key.remove_suffix(3);  // texts have their own unit
      if (!fact.text.empty()) out += fmt::format("  {:<25} {}\n", key, shown(fact.text));
    }
    if (section.name == "cost") out += sharing_text(work.why);
    if (out.size() == before) out += "  none\n";
  }
  return out;
}

std::string explained_json(const ExplainedWork& work, bool one_line) {
  const std::string_view next = one_line ? "," : ",\n";
  std::string out =
      fmt::format(R"({{"idx":{},"rows":{},"kind":{},"kernel":{},"kernel_full":{})", work.idx,
                  work.rows, quoted(work.kind), quoted(work.name), quoted(work.full_name));
  if (!work.trace.empty()) out += ",\"trace\":" + quoted(work.trace);
  const auto to_json = [](const auto& item) { return json_of(item); };
  out.append(next).append("\"ranges\":").append(list_of(work.why.ranges, to_json));
  out.append(next).append("\"differences\":").append(list_of(work.why.differences, to_json));
  for (const ShownSection& section : work.sections) {
    out.append(next).append(quoted(section.name)).append(":").append(json_of(section));
  }
  out.append(next).append("\"kernels_of_the_op\":").append(list_of(work.why.sharing, to_json));
  return out + "}\n";
}

}  // namespace prof::reports
