// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/compiled/node_places.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyzers/compiled/graph_fragment.hpp"

namespace prof::compiled {
namespace {

/// Ascending.
using Numbers = std::vector<std::size_t>;

/// A value with more uses does not identify any of them: a mask of all layers, for example.
constexpr std::size_t kMaxUses = 64;
/// Views of views.
constexpr std::size_t kMaxViews = 4;

/// "mm" of "aten::mm".
std::string_view word_of(std::string_view op) { return op.substr(op.rfind(':') + 1); }

enum class Kind { kView, kProduct, kOther };

Kind kind_of(const std::string& op, const ops::OpCatalog& ops) {
  OpDesc desc;
  desc.op = op;
  const ops::OpModel* const model = ops.model_of(desc);
  if (model == nullptr) return Kind::kOther;
  return model->is_product ? Kind::kProduct
                           : (model->name == "layout" ? Kind::kView : Kind::kOther);
}

/// The calls of one line in one module, without others between them.
struct Run {
  Numbers sources;
  std::vector<Kind> kinds;  // of these
};

class Runs {
 public:
  Runs(const std::vector<SourceNode>& sources, const ops::OpCatalog& ops)
      : sources_(sources), ops_(ops) {
    std::map<std::string_view, std::size_t> times;
    const SourceNode* last = nullptr;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const SourceNode& source = sources[i];
      nth_.push_back(times[source.name]++);
      const std::string& line = line_of(source);
      if (last == nullptr || line_of(*last) != line || last->path != source.path) {
        of_line_[line].push_back(runs_.size());
        runs_.emplace_back();
      }
      last = &source;
      const bool is_part = source.target == "getitem";
      runs_.back().sources.push_back(i);
      runs_.back().kinds.push_back(is_part ? Kind::kView : kind_of("aten::" + source.target, ops));
    }
    of_line_.erase("");
  }

  /// Those of its line that the node may be of.
  const Numbers& candidates(const PrintedNode& node) {
    const auto [known, is_new] = candidates_.try_emplace({node.where, node.target});
    if (is_new) known->second = find_candidates(node);
    return known->second;
  }

  Kind kind(const PrintedNode& node) {
    if (node.target.empty()) return Kind::kView;
    const auto [known, is_new] = kinds_.try_emplace(node.target);
    if (is_new) known->second = kind_of(op_of_target(node.target), ops_);
    return known->second;
  }

  /// Takes the call of the run that the node most likely belongs to.
  void take(std::size_t run, const PrintedNode& node, GraphNode& to) {
    const Run& of = runs_[run];
    const auto is_like = [&](std::size_t i) { return like(of, i, node); };
    std::size_t best = 0;
    for (std::size_t i = 1; i < of.sources.size(); ++i) {
      if (is_like(i) >= is_like(best)) best = i;
    }
    const std::size_t source = of.sources[best];
    to.source = sources_[source].name;
    to.nth = nth_[source];
  }

 private:
  /// The line that printed graphs have.
  static const std::string& line_of(const SourceNode& node) {
    return node.line.empty() ? node.where : node.line;
  }

  /// How much a call of a run is like the node.
  int like(const Run& run, std::size_t i, const PrintedNode& node) {
    const Kind of = kind(node);
    if (of != Kind::kView &&
        word_of(op_of_target(node.target)) == sources_[run.sources[i]].target) {
      return 3;
    }
    if (run.kinds[i] == of) return 2;
    return of != Kind::kView && run.kinds[i] != Kind::kView ? 1 : 0;
  }

  /// Where runs differ in how much they are like the node, the best. Any call may have views.
  Numbers find_candidates(const PrintedNode& node) {
    const auto found = of_line_.find(node.where);
    if (found == of_line_.end()) return {};
    if (kind(node) == Kind::kView) return found->second;
    Numbers best;
    int most = -1;
    for (const std::size_t run : found->second) {
      int likeness = 0;
      for (std::size_t i = 0; i < runs_[run].sources.size(); ++i) {
        likeness = std::max(likeness, like(runs_[run], i, node));
      }
      // A gradient has not the name of its function: no other call is less likely.
      if (likeness == 2 && kind(node) == Kind::kOther) likeness = 1;
      if (likeness > most) best.clear();
      most = std::max(most, likeness);
      if (likeness == most) best.push_back(run);
    }
    return best;
  }

  const std::vector<SourceNode>& sources_;
  const ops::OpCatalog& ops_;
  Numbers nth_;  // of sources of the same name
  std::vector<Run> runs_;
  std::map<std::string_view, Numbers> of_line_;
  std::map<std::pair<std::string_view, std::string_view>, Numbers> candidates_;
  std::map<std::string_view, Kind> kinds_;
};

/// The run of each node of a graph.
class Places {
 public:
  Places(const PrintedGraph& graph, Runs& runs, const Places* forward)
      : graph_(graph), runs_(runs), forward_(forward), at_(graph.nodes.size()) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      node_of_.emplace(graph.nodes[i].name, i);
      for (const std::string_view operand : graph.nodes[i].operands) users_[operand].push_back(i);
    }
  }

  [[nodiscard]] std::optional<std::size_t> run_of(std::size_t node) const { return at_[node]; }
  [[nodiscard]] bool computes(std::string_view name) const { return node_of_.contains(name); }

  /// By what nodes are given, and what is done with their results. Views are of the calls that they
  /// are made for, so that they come last.
  void place_by_values() {
    for (const bool has_views : {false, true}) {
      for (const bool has_siblings : {false, true}) spread(has_views, has_siblings);
    }
  }

  /// Lines that occur as often as the program runs them: in its order, or in the opposite one.
  void place_by_count(bool is_backward) {
    std::map<std::pair<std::string_view, std::string_view>, Numbers> groups;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const PrintedNode& node = graph_.nodes[i];
      // Nodes that only the backward graph needs are at the end of the forward graph.
      if (is_backward || users_.contains(node.name)) groups[{node.where, node.target}].push_back(i);
    }
    for (const auto& [key, nodes] : groups) {
      const Numbers& runs = runs_.candidates(graph_.nodes[nodes.front()]);
      if (runs.empty() || nodes.size() % runs.size() != 0) continue;
      const std::size_t each = nodes.size() / runs.size();
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        const std::size_t nth = i / each;
        auto& at = at_[nodes[i]];
        if (!at) at = runs[is_backward ? runs.size() - 1 - nth : nth];
      }
    }
  }

  /// By the run that is nearest to that of the node before.
  void place_by_order() {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      const Numbers& runs = runs_.candidates(graph_.nodes[i]);
      if (!at_[i] && !runs.empty()) at_[i] = last ? nearest(runs, *last) : runs.back();
      if (at_[i]) last = at_[i];
    }
  }

 private:
  /// The nearest number; of two equally near ones, the lower.
  static std::size_t nearest(const Numbers& numbers, std::size_t to) {
    const auto above = std::ranges::lower_bound(numbers, to);
    if (above == numbers.begin()) return *above;
    const std::size_t below = *(above - 1);
    return above != numbers.end() && *above - to < to - below ? *above : below;
  }

  [[nodiscard]] bool is_view(std::size_t node) const {
    return runs_.kind(graph_.nodes[node]) == Kind::kView;
  }

  void spread(bool has_views, bool has_siblings) {
    constexpr int kMaxRounds = 4;
    bool has_changed = true;
    for (int round = 0; has_changed && round < kMaxRounds; ++round) {
      has_changed = false;
      const auto visit = [&](std::size_t node) {
        if (at_[node] || (!has_views && is_view(node))) return;
        at_[node] = told_by_values(node, has_siblings);
        has_changed = has_changed || at_[node];
      };
      for (std::size_t i = 0; i < at_.size(); ++i) visit(i);
      for (std::size_t i = at_.size(); i-- > 0;) visit(i);
    }
  }

  /// The nodes that are given the value, be it as a view. Empty: too many.
  [[nodiscard]] Numbers uses(std::string_view value) const {
    Numbers found;
    std::size_t begin = 0;
    const auto add = [&](std::string_view name) {
      const auto users = users_.find(name);
      if (users == users_.end()) return true;
      if (found.size() + users->second.size() > kMaxUses) return false;
      found.insert(found.end(), users->second.begin(), users->second.end());
      return true;
    };
    if (!add(value)) return {};
    for (std::size_t views = 0; views < kMaxViews; ++views) {
      const std::size_t end = found.size();
      for (; begin < end; ++begin) {
        if (is_view(found[begin]) && !add(graph_.nodes[found[begin]].name)) return {};
      }
    }
    return found;
  }

  /// The values that are given to the node, and those of which they are views.
  [[nodiscard]] std::vector<std::string_view> values_of(std::size_t node) const {
    std::vector<std::string_view> found = graph_.nodes[node].operands;
    std::size_t begin = 0;
    for (std::size_t views = 0; views < kMaxViews && found.size() <= kMaxUses; ++views) {
      const std::size_t end = found.size();
      for (; begin < end; ++begin) {
        const auto made = node_of_.find(found[begin]);
        if (made == node_of_.end() || !is_view(made->second)) continue;
        const auto& operands = graph_.nodes[made->second].operands;
        found.insert(found.end(), operands.begin(), operands.end());
      }
    }
    return found;
  }

  /// Adds the runs of the nodes that use the value.
  void add_uses(std::string_view value, Numbers& to) const {
    for (const std::size_t use : uses(value)) {
      if (at_[use]) to.push_back(*at_[use]);
    }
  }

  void add_maker(std::string_view value, Numbers& to) const {
    const auto made = node_of_.find(value);
    if (made != node_of_.end() && at_[made->second]) to.push_back(*at_[made->second]);
  }

  /// Runs that values point to. A value that points to several runs does not vote.
  class Votes {
   public:
    explicit Votes(const Numbers& candidates) : candidates_(candidates) {}

    void add(const Numbers& runs) {
      std::optional<std::size_t> only;
      for (const std::size_t run : runs) {
        if (!std::ranges::binary_search(candidates_, run)) continue;
        if (only && *only != run) return;
        only = run;
      }
      if (only) ++votes_[*only];
    }

    [[nodiscard]] std::optional<std::size_t> winner() const {
      const auto best =
          std::ranges::max_element(votes_, {}, [](const auto& vote) { return vote.second; });
      return best == votes_.end() ? std::nullopt : std::optional(best->first);
    }

   private:
    const Numbers& candidates_;
    std::map<std::size_t, std::size_t> votes_;
  };

  std::optional<std::size_t> told_by_values(std::size_t index, bool has_siblings) {
    const PrintedNode& node = graph_.nodes[index];
    const Numbers& candidates = runs_.candidates(node);
    if (candidates.empty()) return std::nullopt;
    if (candidates.size() == 1) return candidates.front();
    if (const auto again = told_by_forward_node(node.name, candidates)) return again;
    Votes votes(candidates);
    const std::vector<std::string_view> values = values_of(index);
    Numbers runs;
    const auto vote = [&] { votes.add(std::exchange(runs, {})); };
    const auto add_known = [&](std::string_view value) {
      if (forward_ != nullptr) {
        forward_->add_maker(value, runs);
        forward_->add_uses(value, runs);
      }
      add_maker(value, runs);
    };
    for (const std::string_view value : values) {
      add_known(value);
      vote();
    }
    add_uses(node.name, runs);
    vote();
    if (has_siblings && !votes.winner()) {
      for (const std::string_view value : values) {
        add_known(value);
        add_uses(value, runs);
        vote();
      }
    }
    return votes.winner();
  }

  /// The backward pass computes again what the forward pass has not kept.
  [[nodiscard]] std::optional<std::size_t> told_by_forward_node(std::string_view name,
                                                                const Numbers& candidates) const {
    Numbers runs;
    if (forward_ != nullptr) forward_->add_maker(name, runs);
    const bool is_one = !runs.empty() && std::ranges::binary_search(candidates, runs.front());
    return is_one ? std::optional(runs.front()) : std::nullopt;
  }

  const PrintedGraph& graph_;
  Runs& runs_;
  const Places* forward_;  // null: this is the forward graph, or there is none
  std::vector<std::optional<std::size_t>> at_;
  std::map<std::string_view, std::size_t> node_of_;
  std::map<std::string_view, Numbers> users_;
};

}  // namespace

std::vector<GraphNode> place_nodes(const PrintedGraph& backward, const PrintedGraph& forward,
                                   const std::vector<SourceNode>& sources,
                                   const ops::OpCatalog& ops) {
  Runs runs(sources, ops);
  Places before(forward, runs, nullptr);
  before.place_by_count(false);
  before.place_by_values();
  Places places(backward, runs, &before);
  places.place_by_values();
  std::vector<GraphNode> nodes(backward.nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].is_guess = !places.run_of(i);
  places.place_by_count(true);
  places.place_by_values();
  places.place_by_order();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const PrintedNode& node = backward.nodes[i];
    nodes[i].name = node.name;
    nodes[i].is_recomputed = before.computes(node.name);
    nodes[i].is_backward = !nodes[i].is_recomputed;
    if (const auto run = places.run_of(i)) runs.take(*run, node, nodes[i]);
  }
  return nodes;
}

}  // namespace prof::compiled
