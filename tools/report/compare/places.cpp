// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/report/compare/places.hpp"

#include <map>
#include <utility>

namespace prof::reports {

std::string Place::name() const {
  const std::string gpu = "GPU " + std::to_string(device);
  return rank ? "rank " + std::to_string(*rank) + ", " + gpu : gpu;
}

Places pair_places(const std::vector<std::unique_ptr<GpuCapture>>& captures,
                   std::size_t base_traces) {
  std::map<std::pair<std::optional<std::uint32_t>, std::uint32_t>, Place> by_place;
  for (const auto& capture : captures) {
    Place& place = by_place[{capture->rank, capture->device}];
    place.rank = capture->rank;
    place.device = capture->device;
    (capture->trace < base_traces ? place.base : place.fresh).push_back(capture.get());
  }
  if (by_place.size() == 2) {
    Place& first = by_place.begin()->second;
    Place& second = by_place.rbegin()->second;
    if (first.fresh.empty() && second.base.empty()) {
      first.fresh = std::move(second.fresh);
      by_place.erase(std::prev(by_place.end()));
    } else if (first.base.empty() && second.fresh.empty()) {
      second.fresh = std::move(first.fresh);
      by_place.erase(by_place.begin());
    }
  }
  Places places;
  for (auto& [key, place] : by_place) {
    if (place.fresh.empty()) {
      places.base_alone.push_back(place.name());
    } else if (place.base.empty()) {
      places.fresh_alone.push_back(place.name());
    } else {
      places.both.push_back(std::move(place));
    }
  }
  return places;
}

}  // namespace prof::reports
