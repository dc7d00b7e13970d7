// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes the FrameworkOp of a PyTorch op, for the dialects that read them. Pure.
#pragma once

#include <memory>
#include <utility>

#include "analyzers/dialects/meaning.hpp"
#include "analyzers/ops/aten_roles.hpp"

namespace prof::dialects {

/// `is_recorded`: autograd gave the op a sequence number.
inline FrameworkOp framework_op(OpDesc op, bool is_recorded) {
  FrameworkOp made;
  made.is_builtin = ops::is_aten(op.op);
  made.is_composite = ops::is_composite(op.op);
  made.looks_like_update = ops::is_update(op.op);
  made.is_recorded = is_recorded;
  made.op = std::make_shared<const OpDesc>(std::move(op));
  return made;
}

}  // namespace prof::dialects
