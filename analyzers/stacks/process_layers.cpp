// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/stacks/process_layers.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>

#include "analyzers/facts/facts.hpp"

namespace prof {

/// Goes over the begins and ends of all ranges that name a layer.
class ProcessLayers::Sweep {
 public:
  Sweep(TraceReader& reader, const dialects::Registry& dialects, const RangeOptions& options) {
    reader.process_ranges([&](const TextRangeRow& range) {
      const bool is_read = range.domain == kDefaultDomain ||
                           std::ranges::find(options.domains, reader.domain_name(range.domain)) !=
                               options.domains.end();
      if (!is_read) return;
      const dialects::RangeMeaning meaning = dialects.parse({range.text, {}, true});
      const auto* const plain = meaning.as<PlainName>();
      const auto* const layer = meaning.as<LayerName>();
      if (plain == nullptr && layer == nullptr) return;
      const std::size_t index = names_.size();
      names_.push_back({plain != nullptr ? plain->name : layer->name, layer != nullptr});
      changes_.push_back({range.start_ns, index, true});
      if (range.end_ns) changes_.push_back({std::max(*range.end_ns, range.start_ns), index, false});
    });
    std::ranges::stable_sort(changes_, {}, &Change::time_ns);
  }

  void run(std::vector<Piece>& pieces, std::vector<std::string>& paths) {
    std::unordered_map<std::string, std::uint32_t> known = {{"", 0}};
    paths.assign(1, {});
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      const Change& change = changes_[i];
      if (change.is_begin) {
        open_.insert(change.range);
      } else {
        open_.erase(change.range);
      }
      if (i + 1 < changes_.size() && changes_[i + 1].time_ns == change.time_ns) continue;
      const auto [layer, is_new] =
          known.try_emplace(path(), static_cast<std::uint32_t>(paths.size()));
      if (is_new) paths.push_back(layer->first);
      const std::uint32_t before = pieces.empty() ? 0 : pieces.back().layer;
      if (layer->second != before) pieces.push_back({change.time_ns, layer->second});
    }
  }

 private:
  struct Name {
    std::string text;
    bool is_layer = false;
  };
  struct Change {
    std::int64_t time_ns = 0;
    std::size_t range = 0;
    bool is_begin = false;
  };

  [[nodiscard]] std::string path() const {
    LayerFacts layer;
    std::size_t count = 0;
    for (auto at = open_.begin(); at != open_.end() && count < kMaxOpen; ++at, ++count) {
      const Name& name = names_[*at];
      name.is_layer ? layer.add_layer(name.text) : layer.add_plain(name.text);
    }
    return layer.path.empty() ? layer.plain_path : layer.path;
  }

  std::vector<Name> names_;      // in the order of their begin
  std::vector<Change> changes_;  // by time
  std::set<std::size_t> open_;
};

ProcessLayers::ProcessLayers(TraceReader& reader, const dialects::Registry& dialects,
                             const RangeOptions& options) {
  Sweep(reader, dialects, options).run(pieces_, paths_);
}

std::uint32_t ProcessLayers::at(std::int64_t time_ns) const {
  const auto after = std::ranges::upper_bound(pieces_, time_ns, {}, &Piece::start_ns);
  return after == pieces_.begin() ? 0 : std::prev(after)->layer;
}

}  // namespace prof
