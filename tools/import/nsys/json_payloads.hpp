// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// JsonPayloads: payloads of NVTX's extension, which nsys writes as JSON, in the form in which
// captures have them: bytes, and a schema that says which numbers they are. Memory: the schemas, of
// bounded number. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "libprof/source/record_sink.hpp"

namespace prof::importers::nsys {

class JsonPayloads {
 public:
  explicit JsonPayloads(RecordSink& sink) : sink_(sink) {}

  struct Encoded {
    std::uint64_t schema = 0;  ///< 0: none of it has a place in a trace.
    std::string bytes;
    bool is_whole = false;  ///< Everything in the JSON is in the bytes.
  };
  /// Defines the schema if it is new.
  Encoded encode(DomainId domain, std::string_view json);

 private:
  RecordSink& sink_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> schemas_;  // by domain, fields
};

}  // namespace prof::importers::nsys
