// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/model/attribution.hpp"

namespace prof {

std::string_view name(Provenance provenance) {
  switch (provenance) {
    case Provenance::kExact:
      return "exact";
    case Provenance::kInherited:
      return "inherited";
    case Provenance::kEstimated:
      return "estimated";
    case Provenance::kUpperBound:
      return "upper_bound";
    case Provenance::kNone:
      break;
  }
  return "none";
}

}  // namespace prof
