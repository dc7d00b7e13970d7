// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The configuration of a capture: from the environment (docs/capture.md lists the variables) or
// from the linked library. An invalid value is reported in one line and its default kept. Pure
// functions of their arguments.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/cupti/call_class.hpp"
#include "collectors/cupti/graph_trace.hpp"
#include "libprof/control/capture_spec.hpp"
#include "libprof/control/secure.hpp"
#include "libprof/control/trace_words.hpp"

namespace prof::collectors {

struct CaptureConfig {
  std::string output = "prof-%p.db";  ///< Placeholders not yet filled.
  std::string stream;                 ///< The text form; empty: none.
  ApiMode api = ApiMode::kLaunch;
  GraphTrace graph_trace = GraphTrace::kNode;
  bool force = false;           ///< Replace an existing output.
  bool quiet = false;           ///< Print no line on success.
  bool manual = false;          ///< Wait for prof_start().
  bool shares_cupti = false;    ///< PROF_CUPTI_SHARED: other tools may record, too.
  std::uint64_t max_bytes = 0;  ///< PROF_MAX_SIZE: limit for the files of all windows; 0: none.
  CaptureSpec windows;          ///< PROF_CAPTURE; without words the whole run is captured.
  /// PROF_BETWEEN: whether a standby runs before and between captures; not given: between windows.
  std::optional<bool> stands_by;
  std::size_t queue_bytes = std::size_t{256} << 20;
  std::size_t buffer_bytes = std::size_t{128} << 20;
  TraceWords trace;            ///< PROF_TRACE.
  std::string replace;         ///< The fingerprint of an old trace that may be replaced.
  std::string replace_stream;  ///< The fingerprint of an old text form that may be replaced.
  std::string rank;            ///< The value of %r.
  std::string run_id;          ///< Set by prof-run, equal in all processes of one run.
  std::string cuda_home;       ///< CUDA_HOME.
  std::string library_path;    ///< LD_LIBRARY_PATH.
};

using Environment = std::function<const char*(const char* name)>;

/// Reads PROF_*, CUDA_HOME and LD_LIBRARY_PATH; adds a line to `complaints` for every value that is
/// not understood. In a program with more rights than its user (`is_secure`) all values that choose
/// code or files are ignored, with one line, and only prof_start() starts a capture.
CaptureConfig read_config(const Environment& environment, std::vector<std::string>& complaints,
                          bool is_secure = is_secure_program());

/// Parses `word` as a mode; false if it is not one.
bool parse_api_mode(std::string_view word, ApiMode& mode);

/// The process's rank as set by its launcher (libprof/model/job.hpp), or "none".
std::string rank_of(const Environment& environment);

}  // namespace prof::collectors
