// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/libcalls/cudnn/backend_table.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace prof::collectors {
namespace {

using Numbers = BackendNumbers;
using Link = BackendNode::Link;

/// Elements kept of one attribute. Operation graphs have tens of operations.
constexpr std::int64_t kMaxElements = 1024;

/// cudnnBackendAttributeType_t, except its enums of 4 bytes.
enum AttributeType : int {
  kHandle = 0,
  kBoolean = 2,
  kInt64 = 3,
  kFloat = 4,
  kDouble = 5,
  kVoidPointer = 6,
  kDescriptor = 15,
  kChar = 24,
  kFraction = 26,
  kLastKnown = 30
};

template <typename Value>
Value element(const void* elements, std::int64_t at) {
  Value value;
  std::memcpy(&value, static_cast<const std::byte*>(elements) + at * std::int64_t{sizeof value},
              sizeof value);
  return value;
}

/// The number of an element. Fractions that are no whole numbers are 0, which no size is.
std::int64_t number_at(int type, const void* elements, std::int64_t at) {
  switch (type) {
    case kBoolean:
      return element<std::uint8_t>(elements, at) != 0 ? 1 : 0;
    case kInt64:
      return element<std::int64_t>(elements, at);
    case kFloat:
      return element<float>(elements, at) != 0 ? 1 : 0;
    case kDouble:
      return element<double>(elements, at) != 0 ? 1 : 0;
    case kFraction: {
      const auto over = element<std::int64_t>(elements, 2 * at);
      const auto under = element<std::int64_t>(elements, 2 * at + 1);
      return under > 0 && over % under == 0 ? over / under : 0;
    }
    default:  // An enumeration. The elements of later releases may be smaller.
      return type <= kLastKnown ? element<std::int32_t>(elements, at) : 0;
  }
}

std::shared_ptr<BackendNode> final_node(int type, int link_name, Link link) {
  auto made = std::make_shared<BackendNode>();
  made->type = type;
  made->is_final = true;
  made->set({link_name, {}, {std::move(link)}});
  return made;
}

/// The graph of a configuration, whether it came from heuristics or the program chose its engine.
Link graph_of_config(const BackendNode& config) {
  if (Link graph = config.link(Numbers::kHeuristicsGraph)) return graph;
  const BackendNode* const engine = config.node(Numbers::kConfigEngine);
  return engine == nullptr ? nullptr : engine->link(Numbers::kEngineGraph);
}

}  // namespace

const BackendNode::Attribute* BackendNode::find(int name) const {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t BackendNode::number(int name, std::int64_t otherwise) const {
  const Attribute* const found = find(name);
  return found == nullptr || found->numbers.empty() ? otherwise : found->numbers.front();
}

BackendNode::Link BackendNode::link(int name) const {
  const Attribute* const found = find(name);
  return found == nullptr || found->nodes.empty() ? nullptr : found->nodes.front();
}

const BackendNode* BackendNode::node(int name) const { return link(name).get(); }

void BackendNode::set(Attribute attribute) {
  const auto found = std::ranges::find(attributes, attribute.name, &Attribute::name);
  if (found == attributes.end()) {
    attributes.push_back(std::move(attribute));
  } else {
    *found = std::move(attribute);
  }
}

BackendTable::Share& BackendTable::share_of(const void* descriptor) {
  const auto address = reinterpret_cast<std::uintptr_t>(descriptor);
  return shares_[(address >> 4 ^ address >> 12) % kShares];
}

void BackendTable::put(const void* descriptor, std::shared_ptr<BackendNode> node) {
  Share& share = share_of(descriptor);
  Entry before;  // Freed after the lock is released.
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  if (found != share.entries.end()) {
    before = std::exchange(found->second, Entry{std::move(node), nullptr});
  } else if (share.entries.size() < kMaxDescriptors / kShares) {
    share.entries.emplace(descriptor, Entry{std::move(node), nullptr});
  }
}

bool BackendTable::is_building(const void* descriptor) {
  Share& share = share_of(descriptor);
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  return found != share.entries.end() && !found->second.node->is_final;
}

void BackendTable::create(const void* descriptor, int type) {
  // One is made for each execution; only those that override sizes are kept.
  if (type == Numbers::kVariantPack) return destroy(descriptor);
  auto node = std::make_shared<BackendNode>();
  node->type = type;
  if (type == Numbers::kEngine) {
    node->engine = std::make_shared<std::atomic<std::int64_t>>(-1);
  }
  put(descriptor, std::move(node));
}

void BackendTable::destroy(const void* descriptor) {
  Share& share = share_of(descriptor);
  Entry before;
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  if (found == share.entries.end()) return;
  before = std::move(found->second);
  share.entries.erase(found);
}

void BackendTable::set(const void* descriptor, int name, int type, std::int64_t count,
                       const void* elements) {
  if (name >= Numbers::kFirstOverride && name <= Numbers::kLastOverride) {
    auto overridden = std::make_shared<BackendNode>();
    overridden->type = Numbers::kVariantPack;
    return put(descriptor, std::move(overridden));
  }
  if (!is_building(descriptor)) return;
  BackendNode::Attribute made{name, {}, {}};
  const bool is_kept = type != kHandle && type != kVoidPointer && type != kChar;
  if (is_kept && elements != nullptr && count > 0 && count <= kMaxElements) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (type == kDescriptor) {
        made.nodes.push_back(find(element<const void*>(elements, i)));
      } else {
        made.numbers.push_back(number_at(type, elements, i));
      }
    }
  }
  Share& share = share_of(descriptor);
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  if (found == share.entries.end() || found->second.node->is_final) return;
  BackendNode& node = *found->second.node;
  if (name == Numbers::kEngineIndex && node.engine && !made.numbers.empty()) {
    node.engine->store(made.numbers.front(), std::memory_order_relaxed);
  }
  if (name == Numbers::kConfigEngine && !made.nodes.empty() && made.nodes.front()) {
    node.engine = made.nodes.front()->engine;
  }
  node.set(std::move(made));
}

void BackendTable::get(const void* descriptor, int name, int type, std::int64_t count,
                       const void* elements) {
  if (elements == nullptr || count < 1 || count > kMaxElements) return;
  const Link from = find(descriptor);
  if (from == nullptr) return;
  if (type == kInt64 && name == Numbers::kEngineIndex && from->engine) {
    from->engine->store(element<std::int64_t>(elements, 0), std::memory_order_relaxed);
  }
  if (type != kDescriptor) return;
  const BackendNode::Attribute* const referred = from->find(name);
  for (std::int64_t i = 0; i < count; ++i) {
    const void* const to = element<const void*>(elements, i);
    std::shared_ptr<BackendNode> made;
    if (name == Numbers::kHeuristicsResults) {
      made = final_node(Numbers::kEngineConfig, Numbers::kHeuristicsGraph,
                        from->link(Numbers::kHeuristicsGraph));
      made->engine = std::make_shared<std::atomic<std::int64_t>>(-1);
    } else if (referred != nullptr && static_cast<std::size_t>(i) < referred->nodes.size() &&
               referred->nodes[static_cast<std::size_t>(i)] != nullptr) {
      made = std::make_shared<BackendNode>(*referred->nodes[static_cast<std::size_t>(i)]);
    } else if (name == Numbers::kConfigEngine) {
      made = final_node(Numbers::kEngine, Numbers::kEngineGraph, graph_of_config(*from));
      made->engine = from->engine;
    }
    if (made != nullptr) {
      put(to, std::move(made));
    } else {
      destroy(to);
    }
  }
}

void BackendTable::finalize(const void* descriptor) {
  Share& share = share_of(descriptor);
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  if (found != share.entries.end()) found->second.node->is_final = true;
}

BackendNode::Link BackendTable::find(const void* descriptor) {
  Share& share = share_of(descriptor);
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  if (found == share.entries.end()) return nullptr;
  // A descriptor that is not final may still change, so nobody may refer to it.
  return found->second.node->is_final || found->second.node->type == Numbers::kVariantPack
             ? found->second.node
             : nullptr;
}

void BackendTable::describe(const void* descriptor, std::shared_ptr<const BackendPlan> plan) {
  Share& share = share_of(descriptor);
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  if (found != share.entries.end()) found->second.plan.swap(plan);
}

std::shared_ptr<const BackendPlan> BackendTable::plan(const void* descriptor) {
  Share& share = share_of(descriptor);
  const std::scoped_lock lock(share.mutex);
  const auto found = share.entries.find(descriptor);
  return found == share.entries.end() ? nullptr : found->second.plan;
}

std::size_t BackendTable::size() {
  std::size_t all = 0;
  for (Share& share : shares_) {
    const std::scoped_lock lock(share.mutex);
    all += share.entries.size();
  }
  return all;
}

BackendTable& backend_table() {
  static auto* const table = new BackendTable;  // Programs execute plans while they exit.
  return *table;
}

BackendNode::Link graph_of_plan(const BackendNode& plan) {
  const BackendNode* const config = plan.node(Numbers::kPlanConfig);
  Link graph = config == nullptr ? nullptr : graph_of_config(*config);
  return graph != nullptr && graph->type == Numbers::kGraph ? graph : nullptr;
}

std::int64_t engine_of_plan(const BackendNode& plan) {
  const BackendNode* const config = plan.node(Numbers::kPlanConfig);
  return config == nullptr || config->engine == nullptr
             ? -1
             : config->engine->load(std::memory_order_relaxed);
}

}  // namespace prof::collectors
