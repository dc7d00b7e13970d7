// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls of a library that communicates between GPUs, for the dialects that read them: sizes in
// bytes instead of tensors, as attributes of the op (ops/collective.cpp). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "analyzers/dialects/meaning.hpp"

namespace prof::dialects {

inline constexpr std::string_view kBytesRead = "bytes_read";
inline constexpr std::string_view kBytesWritten = "bytes_written";
inline constexpr std::string_view kMessageBytes = "message_bytes";
inline constexpr std::string_view kRanks = "ranks";
inline constexpr std::string_view kCommunicator = "communicator";
inline constexpr std::string_view kRank = "rank";  ///< In the communicator, as peer and root.
inline constexpr std::string_view kPeer = "peer";
inline constexpr std::string_view kRoot = "root";
inline constexpr std::string_view kElements = "elements";  ///< Elements that this rank contributes.

using ByteCount = std::optional<std::int64_t>;

/// Sets the attribute, if it is known.
void set_count(OpDesc& op, std::string_view key, ByteCount value);

LibraryCall library_call(std::string_view function, OpDesc op);

/// The calls of a group, which one kernel runs. Sends and receives run concurrently, so the message
/// is the larger side. For other calls the parts add up; a mix of calls has no size of its own.
/// `launched_by` is the function that launches a mix. At least one call.
LibraryCall joined_calls(std::span<const LibraryCall* const> calls, std::string_view launched_by);

}  // namespace prof::dialects
