// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts: what is known about work from the stack of ranges it is launched under. Each range adds to
// the facts of the stack around it (rules.hpp); reports see them as an OpAttribution
// (attribute.hpp). Holds no steps and no numbers, so that a thousand steps share the facts of one.
// A value; ops are shared.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "analyzers/dialects/meaning.hpp"
#include "analyzers/model/attribution.hpp"
#include "analyzers/model/compiled_site.hpp"

namespace prof {

/// Names joined with ':', outermost first.
struct LayerFacts {
  std::string path;            ///< Path of layers.
  std::size_t name_at = 0;     ///< Where the innermost name begins in `path`.
  std::string plain_path;      ///< Path of plain names, used if there is no layer.
  std::size_t plain_at = 0;    ///< Where the innermost one begins.
  std::string inherited;       ///< In a backward node: the forward op's layer.
  bool is_of_process = false;  ///< `plain_path` is of ranges that are on no stack.
  // These describe a program that a compiler made of traced functions:
  std::string scopes;         ///< Path of the names of what its work was traced in.
  std::string common_scopes;  ///< The part of `scopes` that all of the program has in common.
  std::string program;        ///< Its name, used if there is nothing else.

  void add_layer(std::string_view name);
  void add_plain(std::string_view name);
  /// A module inside the innermost layer, by its path from there.
  void add_part(std::string_view path);
  /// The path of names that are guesses: plain ranges, and inside them a traced program's.
  [[nodiscard]] std::string guessed_path() const;
  [[nodiscard]] bool is_empty() const {
    return path.empty() && inherited.empty() && plain_path.empty() && program.empty();
  }
  /// Takes the innermost layers away if their path is that one. False: it is not.
  bool drop(std::string_view innermost);
};

/// The ops that the work belongs to. All null outside of ops.
struct OpsOnStack {
  OpRef reported;  ///< The op the user called.
  OpRef inner;     ///< The innermost op.
  OpRef subject;   ///< The op whose shapes are shown: the outermost one that a model can count.
  OpRef owner;     ///< The op whose cost the work carries: one in the subject, or the subject.
  OpRef library;   ///< The library call inside the op.
  bool is_known = false;         ///< A model knows `reported`.
  bool is_builtin = false;       ///< `reported` is the framework's own.
  bool is_framework = false;     ///< Ops inside it belong to it.
  bool has_own_ops = false;      ///< Ops inside it count instead of it: it runs compiled code.
  bool is_kernel = false;        ///< `reported` is the kernel that runs, by its own name.
  bool is_library_call = false;  ///< `reported` is a library's, in no op of the program.
  bool is_traced = false;        ///< `reported` is what names in compiled code say.
  bool is_counted = false;       ///< A model can compute the owner's FLOPs or matrix product.
  bool prepares = false;         ///< The owner only prepares operands, such as a cast or a copy.
};

/// The backward node around the work, if there is one.
struct BackwardFacts {
  bool is_inside = false;
  bool is_linked = false;       ///< Its forward op was found.
  bool has_own_ops = false;     ///< Ops that it calls count as ops of their own.
  bool reruns_forward = false;  ///< These are forward ops that run again, if autograd records them.
  OpRef forward;                ///< The forward op; null also where a node has none.
  OpRef product;                ///< The forward product whose gradients the node computes.
  OpRef sized;  ///< Its shapes say what the node computes: that, or the op of the node's name.
  bool weight_first = false;  ///< The gradient of its second operand comes first.
};

struct Facts;

/// The optimizer's method around the work, if there is one.
struct OptimizerFacts {
  /// The facts around the method and its layer, without an op; null outside of optimizers.
  std::shared_ptr<const Facts> around;
  bool is_left = false;  ///< By the structure alone: the work is on an optimizer's stack.
  // These describe work that has left an optimizer: a layer directly in it may be that of another
  // optimizer.
  std::string left_path;       ///< The path of the optimizer's layers; empty: it has none.
  std::size_t path_bytes = 0;  ///< Size of the path of the layers around the optimizer.
};

/// The call of compiled code around the work, if there is one.
struct CompiledFacts {
  std::shared_ptr<const CompiledGraph> graph;  ///< The innermost one; null: none.
  OpRef around;                                ///< The op that calls it, if there is one.
  std::shared_ptr<const CompiledSite> site;  ///< The call that launched the work; null: not known.
};

struct Facts {
  LayerFacts layer;
  std::string source_line;  ///< The source line that calls the op.
  std::string plain_op;     ///< Names the op of work that has no other: a plain range, or a kernel.
  OpRef attributes;         ///< The attributes that the program states for the ops under it.
  OpRef module_call;        ///< The arguments with which the innermost layer's module is called.
  OpsOnStack op;
  BackwardFacts backward;
  OptimizerFacts optimizer;
  CompiledFacts compiled;
  Direction direction = Direction::kNone;
  Provenance direction_from = Provenance::kNone;
  bool is_compiled = false;    ///< In code that a compiler made, outside of the ops that it calls.
  bool is_recomputed = false;  ///< A forward op that runs again in a backward node.
  /// The work is that of a graph's node, and the stack is the one that the node was made under.
  bool is_replayed = false;

  void set_direction(Direction to, Provenance from) {
    direction = to;
    direction_from = from;
  }
  /// Where a fact of the stack comes from.
  [[nodiscard]] Provenance stated() const {
    return is_replayed ? Provenance::kInherited : Provenance::kExact;
  }
  /// Something is known of the work.
  [[nodiscard]] bool says_something() const {
    return op.reported != nullptr || !layer.is_empty() || compiled.graph != nullptr;
  }
};

}  // namespace prof
