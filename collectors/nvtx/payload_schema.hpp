// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads payload schemas and enums as a program registers them: the list of fields as JSON, stored
// so that payloads can be decoded later, and the properties of a payload that the handler itself
// needs: its size, the texts that it points to, the event's message. A field is
// {"name","type","offset","array","flags"}; "offset" is null if it depends on the data;
// "stored":"offset" says that in stored payloads the value is not the program's pointer but the
// offset of the zero-terminated copy (of an array: of its bytes) in the same payload, 0 if it was
// not kept. A value of an enum is {"name","value","is_flag"}. Allocates; may throw std::bad_alloc.
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>

#include "collectors/core/program_objects.hpp"
#include "collectors/nvtx/nvtx_headers.hpp"

namespace prof::collectors {

/// nullopt: there are no entries.
std::optional<PayloadSchema> read_schema(const Domain& domain,
                                         const nvtxPayloadSchemaAttr_t& attributes);
std::optional<PayloadSchema> read_enum(const nvtxPayloadEnumAttr_t& attributes);

/// Size in bytes of a predefined type (NVTX_PAYLOAD_ENTRY_TYPE_*) on this machine; 0: none, or it
/// varies.
std::uint64_t type_bytes(std::uint64_t type) noexcept;

}  // namespace prof::collectors
