// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts ops into a ledger, each under the layers that are open:
//
//   LedgerWriter out(ledger);
//   const auto layer = out.layer("Attn");
//   out.add(ledger::softmax({batch, heads, length, length}, ledger::kHalf));
//   out.add("Output", {ledger::linear({{batch, length}, hidden, hidden})});
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/ledger.hpp"

namespace ref {

/// `ledger` must outlive it.
class LedgerWriter {
 public:
  explicit LedgerWriter(Ledger& ledger) : ledger_(ledger) {}

  /// A layer that is open as long as this lives.
  class Layer {
   public:
    Layer(std::string& path, std::string_view name) : path_(path), length_(path.size()) {
      if (!path_.empty()) path_ += ':';
      path_ += name;
    }
    ~Layer() { path_.resize(length_); }
    Layer(const Layer&) = delete;
    Layer& operator=(const Layer&) = delete;

   private:
    std::string& path_;
    std::size_t length_;
  };
  [[nodiscard]] Layer layer(std::string_view name) { return {path_, name}; }

  void add(LedgerOp op) {
    op.layer = path_;
    ledger_.add(std::move(op));
  }
  /// All in the layer `name`.
  void add(std::string_view name, const std::vector<LedgerOp>& ops) {
    const Layer inner = layer(name);
    for (const LedgerOp& op : ops) add(op);
  }

 private:
  Ledger& ledger_;
  std::string path_;
};

}  // namespace ref
