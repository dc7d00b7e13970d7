// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ByAttribution: something for each op and kernel that work is attributed to, found by their
// addresses: a trace has few of them, and texts are compared once for each, not for each row. Equal
// ones may be distinct objects, and each is asked for.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

#include "analyzers/model/attribution.hpp"

namespace prof::reports {

template <typename Value>
class ByAttribution {
 public:
  /// `make()` gives the value of one that is new, or was forgotten.
  template <typename Make>
  Value of(const Attribution& work, Make make) {
    if (last_ != nullptr && last_->op == work.op && last_->kernel == work.kernel) {
      return last_->value;
    }
    if (values_.size() == kMost) values_.clear();
    const auto [found, is_new] = values_.try_emplace({work.op.get(), work.kernel.get()});
    if (is_new) found->second = {work.op, work.kernel, make()};
    last_ = &found->second;
    return last_->value;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;

  /// They are kept alive, so that no other one gets their addresses.
  struct Kept {
    std::shared_ptr<const OpAttribution> op;
    std::shared_ptr<const KernelFacts> kernel;
    Value value{};
  };
  using Key = std::pair<const OpAttribution*, const KernelFacts*>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const std::hash<const void*> hash;
      return hash(key.first) * 31 + hash(key.second);
    }
  };

  std::unordered_map<Key, Kept, Hash> values_;
  const Kept* last_ = nullptr;
};

}  // namespace prof::reports
