// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Binary payloads of NVTX's payload extension.
#pragma once

#include <cstdint>
#include <string_view>

#include "libprof/model/record_parts.hpp"

namespace prof {

/// A binary payload of NVTX's payload extension, attached to a range or (range 0) a mark.
struct PayloadBlobRecord {
  RangeId range = 0;
  DomainId domain;
  std::uint64_t schema = 0;
  std::string_view bytes;
  friend bool operator==(const PayloadBlobRecord&, const PayloadBlobRecord&) = default;
};

template <>
struct RecordKind<PayloadBlobRecord> {
  using R = PayloadBlobRecord;
  static constexpr std::string_view kWord = "payload_blob";
  static constexpr void fields(auto&& v) {
    v("range", &R::range);
    v("domain", &R::domain);
    v("schema", &R::schema);
    v("bytes", &R::bytes);
  }
  static constexpr TableText kTable = {"payload_blob",
                                       "Binary payloads of NVTX's payload extension."};
  static constexpr void columns(auto&& v) {
    v(column::arrival());
    v(column::value("range_id", &R::range, "range.id; 0: of a mark"));
    v(column::value("domain_id", &R::domain, "domain.id"));
    v(column::value("schema", &R::schema, "payload_schema.schema"));
    v(column::bytes("bytes", &R::bytes, "as the program passed them"));
  }
};

}  // namespace prof
