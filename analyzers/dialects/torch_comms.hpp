// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// PyTorch's statements about a collective: the ranges of ProcessGroupNCCL around a call and around
// its launch. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "analyzers/dialects/meaning.hpp"
#include "analyzers/dialects/torch_call.hpp"

namespace prof::dialects {

/// The call in a range `record_param_comms` whose facts are stated; nullopt for any other range,
/// and for calls that are no communication (waits, the creation of a group).
std::optional<LibraryCall> communication_of(const TorchCall& call);

/// True for the ranges around launches ("nccl:all_reduce").
bool is_launch_of_communication(std::string_view name);

/// For the range around the launch of calls that were collected ("nccl:coalesced"); null for any
/// other.
JoinCalls join_of_collected(std::string_view name);

}  // namespace prof::dialects
