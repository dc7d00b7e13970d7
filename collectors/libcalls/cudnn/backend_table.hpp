// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The descriptors of cuDNN's backend that the program has made, as it builds them, so that a plan
// is known down to its operations when it is executed: cuDNN reveals little of a descriptor's
// contents, and that only into descriptors of one's own. A node holds the contents of one
// descriptor; other nodes refer to it and keep it when the program destroys the descriptor, as
// cuDNN does. A node that is final does not change.
//
// Threads: any. A lock guards a share of the table and is held for a look-up or a copy of one
// attribute; no lock is held while another is taken. In a child of fork() nothing is kept.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace prof::collectors {

struct BackendNode {
  using Link = std::shared_ptr<const BackendNode>;
  struct Attribute {
    int name = 0;                       ///< cudnnBackendAttributeName_t
    std::vector<std::int64_t> numbers;  ///< Floats are stored as 0 if they are 0, else 1.
    std::vector<Link> nodes;            ///< Null: an unknown descriptor.
  };

  [[nodiscard]] const Attribute* find(int name) const;
  [[nodiscard]] bool has(int name) const { return find(name) != nullptr; }
  [[nodiscard]] std::int64_t number(int name, std::int64_t otherwise) const;
  /// Null: not set, or unknown.
  [[nodiscard]] const BackendNode* node(int name) const;
  [[nodiscard]] Link link(int name) const;
  void set(Attribute attribute);

  int type = -1;  ///< cudnnBackendDescriptorType_t
  bool is_final = false;
  std::vector<Attribute> attributes;
  /// The number of an engine, shared with the configurations that use it, if the program sets it or
  /// asks for it before the plan is final.
  std::shared_ptr<std::atomic<std::int64_t>> engine;
};

/// The computation of a plan: an op's name, which is a constant, and the facts that CallFacts
/// writes.
struct BackendPlan {
  const char* op = nullptr;
  std::vector<std::byte> bytes;
};

/// The attributes and types that the table itself uses; cudnn_graph.h has the numbers.
struct BackendNumbers {
  static constexpr int kEngine = 2, kEngineConfig = 3, kPlan = 5, kGraph = 15, kVariantPack = 16;
  static constexpr int kHeuristicsGraph = 201, kHeuristicsResults = 202, kConfigEngine = 300,
                       kPlanConfig = 401, kEngineGraph = 1300, kEngineIndex = 1301,
                       kFirstOverride = 1010, kLastOverride = 1012;
};

class BackendTable {
 public:
  /// Beyond this number, new descriptors are unknown.
  static constexpr std::size_t kMaxDescriptors = std::size_t{1} << 15;

  void create(const void* descriptor, int type);
  void destroy(const void* descriptor);
  /// Attributes that the program has set: `count` elements of a cudnnBackendAttributeType_t.
  void set(const void* descriptor, int name, int type, std::int64_t count, const void* elements);
  /// Attributes that the library has returned: copies of the descriptors that `descriptor` refers
  /// to, made into the program's own.
  void get(const void* descriptor, int name, int type, std::int64_t count, const void* elements);
  void finalize(const void* descriptor);

  [[nodiscard]] BackendNode::Link find(const void* descriptor);
  void describe(const void* descriptor, std::shared_ptr<const BackendPlan> plan);
  [[nodiscard]] std::shared_ptr<const BackendPlan> plan(const void* descriptor);
  [[nodiscard]] std::size_t size();

 private:
  static constexpr std::size_t kShares = 16;
  struct Entry {
    std::shared_ptr<BackendNode> node;
    std::shared_ptr<const BackendPlan> plan;
  };
  struct Share {
    std::mutex mutex;
    std::unordered_map<const void*, Entry> entries;
  };

  Share& share_of(const void* descriptor);
  bool is_building(const void* descriptor);
  void put(const void* descriptor, std::shared_ptr<BackendNode> node);

  std::array<Share, kShares> shares_;
};

/// The process's table.
BackendTable& backend_table();

/// The operation graph of a plan; null: unknown.
BackendNode::Link graph_of_plan(const BackendNode& plan);
/// The number of a plan's engine; negative: unknown.
std::int64_t engine_of_plan(const BackendNode& plan);

}  // namespace prof::collectors
