// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The fields of pprof's profiles that we write, by message. Source: google/pprof,
// proto/profile.proto at b9395ee1 (July 2026). "Text": an index into the profile's table of texts.
#pragma once

#include <protozero/types.hpp>

namespace prof::exports::pprof {

enum class Profile : protozero::pbf_tag_type {
  kSampleType = 1,   ///< ValueType: what each value of a sample is.
  kSample = 2,       ///< Sample.
  kMapping = 3,      ///< Mapping; the first is the main one.
  kLocation = 4,     ///< Location.
  kFunction = 5,     ///< Function.
  kStringTable = 6,  ///< The table of texts; the first is empty.
  kTimeNanos = 9,    ///< Begin, since the epoch.
  kDurationNanos = 10,
  kComment = 13,            ///< Text. For people.
  kDefaultSampleType = 14,  ///< Text. The type of the value that is shown first.
};

enum class ValueType : protozero::pbf_tag_type {
  kType = 1,  ///< Text.
  kUnit = 2,  ///< Text.
};

enum class Sample : protozero::pbf_tag_type {
  kLocationId = 1,  ///< Packed; the innermost frame first.
  kValue = 2,       ///< Packed; as many as there are sample types.
  kLabel = 3,       ///< Label.
};

enum class Label : protozero::pbf_tag_type {
  kKey = 1,  ///< Text.
  kStr = 2,  ///< Text.
};

/// Where functions come from.
enum class Mapping : protozero::pbf_tag_type {
  kId = 1,            ///< Not 0.
  kFilename = 5,      ///< Text.
  kHasFunctions = 7,  ///< There are no others to look up.
};

enum class Location : protozero::pbf_tag_type {
  kId = 1,  ///< Not 0.
  kMappingId = 2,
  kLine = 4,  ///< Line.
};

enum class Line : protozero::pbf_tag_type {
  kFunctionId = 1,
};

/// The system name is left out: pprof then shows the name as it is, template arguments included.
enum class Function : protozero::pbf_tag_type {
  kId = 1,    ///< Not 0.
  kName = 2,  ///< Text.
};

}  // namespace prof::exports::pprof
