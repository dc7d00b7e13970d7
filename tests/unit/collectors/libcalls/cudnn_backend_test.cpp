// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of cuDNN's backend descriptors, and what a plan is described as. Descriptors are
// addresses that are never followed.
#include "collectors/libcalls/cudnn/backend_table.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "collectors/libcalls/cudnn/backend_plan.hpp"
#include "collectors/ops/op_arguments.hpp"

namespace prof::collectors {
namespace {

using Json = nlohmann::json;
using Sizes = std::vector<std::int64_t>;
using Descriptor = const void*;

// cudnnBackendAttributeType_t
constexpr int kDataType = 1, kBoolean = 2, kInt64 = 3, kFloat = 4, kMode = 14, kDescriptor = 15,
              kChar = 24;
constexpr int kHalf = 2;  // CUDNN_DATA_HALF

/// A program that builds descriptors.
class Program {
 public:
  Descriptor create(int type) {
    next_ += 16;
    const auto made = reinterpret_cast<Descriptor>(next_);  // NOLINT(performance-no-int-to-ptr)
    table.create(made, type);
    return made;
  }
  void set(Descriptor to, int name, const Sizes& numbers) {
    table.set(to, name, kInt64, static_cast<std::int64_t>(numbers.size()), numbers.data());
  }
  void refer(Descriptor to, int name, const std::vector<Descriptor>& others) {
    table.set(to, name, kDescriptor, static_cast<std::int64_t>(others.size()), others.data());
  }
  Descriptor finalize(Descriptor made) {
    table.finalize(made);
    return made;
  }
  Descriptor tensor(const Sizes& sizes, bool is_virtual = false) {
    const Descriptor made = create(17);
    set(made, 906, {++id_});
    table.set(made, 901, kDataType, 1, &kHalf);
    set(made, 902, sizes);
    table.set(made, 907, kBoolean, 1, &is_virtual);
    return finalize(made);
  }
  Descriptor convolution(Descriptor x, Descriptor w, Descriptor y) {
    const Descriptor what = create(1);
    set(what, 103, {2, 1});
    set(what, 105, {1, 0});
    finalize(what);
    const Descriptor made = create(10);
    refer(made, 704, {x});
    refer(made, 703, {w});
    refer(made, 705, {y});
    refer(made, 702, {what});
    return finalize(made);
  }
  Descriptor pointwise(int mode, Descriptor x, Descriptor b, Descriptor y, std::int64_t axis = -1) {
    const Descriptor what = create(0);
    table.set(what, 0, kMode, 1, &mode);
    if (axis >= 0) set(what, 9, {axis});
    finalize(what);
    const Descriptor made = create(13);
    refer(made, 750, {what});
    refer(made, 751, {x});
    if (b != nullptr) refer(made, 752, {b});
    refer(made, 753, {y});
    return finalize(made);
  }
  Descriptor matmul(Descriptor a, Descriptor b, Descriptor c) {
    const Descriptor made = create(19);
    refer(made, 1520, {a});
    refer(made, 1521, {b});
    refer(made, 1522, {c});
    return finalize(made);
  }
  Descriptor graph(const std::vector<Descriptor>& operations) {
    const Descriptor made = create(15);
    refer(made, 801, operations);
    return finalize(made);
  }
  /// As heuristics fill it in.
  Descriptor config(Descriptor graph) {
    const Descriptor heuristics = create(4);
    refer(heuristics, 201, {graph});
    finalize(heuristics);
    const Descriptor made = create(3);
    table.get(heuristics, 202, kDescriptor, 1, &made);
    table.destroy(heuristics);
    return made;
  }
  Descriptor plan(Descriptor config) {
    const Descriptor made = create(5);
    refer(made, 401, {config});
    return finalize(made);
  }
  Json described(Descriptor plan) {
    const BackendNode::Link node = table.find(plan);
    if (node == nullptr) return nullptr;
    const BackendPlan made = plan_of(*node);
    return Json::parse(signature_of(made.op, false, made.bytes));
  }
  Json of_graph(const std::vector<Descriptor>& operations) {
    return described(plan(config(graph(operations))));
  }

  BackendTable table;

 private:
  std::uintptr_t next_ = 0x10000;
  std::int64_t id_ = 0;
};

std::vector<Sizes> shapes(const Json& signature) {
  std::vector<Sizes> made;
  for (const Json& one : signature["args"]) {
    made.push_back(one.is_null() ? Sizes{} : one["shape"].get<Sizes>());
  }
  return made;
}

TEST(CudnnBackend, DescribesAConvolution) {
  Program program;
  const Json found = program.of_graph(
      {program.convolution(program.tensor({2, 8, 10, 9}), program.tensor({12, 4, 3, 3}),
                           program.tensor({2, 12, 5, 7}))});
  EXPECT_EQ(found["op"], "cudnn::conv_fprop");
  EXPECT_EQ(shapes(found), (std::vector<Sizes>{{2, 8, 10, 9}, {12, 4, 3, 3}, {2, 12, 5, 7}}));
  EXPECT_EQ(found["args"][0]["dtype"], "float16");
  EXPECT_EQ(found["facts"]["stride"], (Sizes{2, 1}));
  EXPECT_EQ(found["facts"]["operations"], "conv_fprop");
  EXPECT_FALSE(found["facts"].contains("engine"));
}

TEST(CudnnBackend, KeepsWhatADestroyedDescriptorSaid) {
  Program program;
  const Descriptor x = program.tensor({2, 8, 8, 8}), w = program.tensor({8, 8, 1, 1}),
                   y = program.tensor({2, 8, 8, 8});
  const Descriptor graph = program.graph({program.convolution(x, w, y)});
  const Descriptor plan = program.plan(program.config(graph));
  for (const Descriptor one : {x, w, y, graph}) program.table.destroy(one);
  EXPECT_EQ(shapes(program.described(plan)).front(), (Sizes{2, 8, 8, 8}));
  program.table.destroy(plan);
  EXPECT_EQ(program.described(plan), nullptr);
  // The address has another descriptor now.
  program.table.create(plan, BackendNumbers::kPlan);
  program.table.finalize(plan);
  EXPECT_EQ(program.described(plan)["op"], "cudnn::graph");
  EXPECT_EQ(program.described(plan)["facts"]["plan"], "unknown");
}

TEST(CudnnBackend, RefersToNothingUnfinished) {
  Program program;
  const Descriptor graph = program.create(15);  // Not final.
  const Json found = program.described(program.plan(program.config(graph)));
  EXPECT_EQ(found["facts"]["plan"], "unknown");
  EXPECT_EQ(program.described(program.create(5)), nullptr);
}

TEST(CudnnBackend, ChangesNothingThatIsFinal) {
  Program program;
  const Descriptor x = program.tensor({2, 8, 8, 8});
  program.set(x, 902, {9, 9, 9, 9});
  const Json found = program.of_graph(
      {program.pointwise(0, x, program.tensor({2, 8, 8, 8}), program.tensor({2, 8, 8, 8}))});
  EXPECT_EQ(found["op"], "cudnn::op_add");
  EXPECT_EQ(shapes(found).front(), (Sizes{2, 8, 8, 8}));
}

TEST(CudnnBackend, FollowsCopiesAndChosenEngines) {
  Program program;
  const Descriptor graph = program.graph({program.matmul(
      program.tensor({1, 64, 32}), program.tensor({1, 32, 48}), program.tensor({1, 64, 48}))});
  const Descriptor engine = program.create(2);
  program.refer(engine, 1300, {graph});
  program.set(engine, 1301, {7});
  program.finalize(engine);
  const Descriptor config = program.create(3);
  program.refer(config, 300, {engine});
  program.finalize(config);
  const Descriptor plan = program.plan(config);
  Json found = program.described(plan);
  EXPECT_EQ(found["op"], "cudnn::matmul");
  EXPECT_EQ(found["facts"]["engine"], 7);
  // A copy of the plan's configuration, and a plan of that.
  const Descriptor copy = program.create(3);
  program.table.get(plan, 401, kDescriptor, 1, &copy);
  EXPECT_EQ(program.described(program.plan(copy)), found);
  // Of one from heuristics, the number is known when the program has asked for it.
  const Descriptor chosen = program.config(graph), its_engine = program.create(2);
  program.table.get(chosen, 300, kDescriptor, 1, &its_engine);
  const std::int64_t index = 11;
  program.table.get(its_engine, 1301, kInt64, 1, &index);
  EXPECT_EQ(program.described(program.plan(chosen))["facts"]["engine"], 11);
  const Descriptor again = program.create(3);
  program.refer(again, 300, {its_engine});
  program.finalize(again);
  found = program.described(program.plan(again));
  EXPECT_EQ(found["op"], "cudnn::matmul");
  EXPECT_EQ(found["facts"]["engine"], 11);
}

TEST(CudnnBackend, SaysWhatItDoesNotKnow) {
  Program program;
  const Descriptor restored = program.create(5);
  program.table.set(restored, 405, kChar, 2, "{}");
  program.finalize(restored);
  EXPECT_EQ(program.described(restored)["facts"]["plan"], "restored from JSON");
  // An operation of a later release.
  const Json found = program.of_graph({program.finalize(program.create(9999))});
  EXPECT_EQ(found["op"], "cudnn::graph");
  EXPECT_FALSE(found.contains("args"));
  // Sizes of this execution.
  const Descriptor pack = program.create(BackendNumbers::kVariantPack);
  EXPECT_EQ(program.table.find(pack), nullptr);
  program.set(pack, 1011, {1, 2, 3, 4});
  EXPECT_NE(program.table.find(pack), nullptr);
}

TEST(CudnnBackend, FusedOperationsAreTheProducts) {
  Program program;
  const Sizes sizes{2, 32, 8, 8};
  const Descriptor product = program.tensor(sizes, true), scaled = program.tensor(sizes, true),
                   sum = program.tensor(sizes, true), y = program.tensor(sizes);
  const Json found = program.of_graph(
      {program.pointwise(100, sum, nullptr, y),  // In any order.
       program.convolution(program.tensor({2, 16, 8, 8}), program.tensor({32, 16, 3, 3}), product),
       program.pointwise(1, product, program.tensor({1, 32, 1, 1}), scaled),
       program.pointwise(0, scaled, program.tensor({1, 32, 1, 1}), sum)});
  EXPECT_EQ(found["op"], "cudnn::conv_fprop_fused");
  EXPECT_EQ(found["facts"]["epilogue"], "relu mul add");
  // x, weight, the bias that is added, the scale, y.
  EXPECT_EQ(
      shapes(found),
      (std::vector<Sizes>{
          {2, 16, 8, 8}, {32, 16, 3, 3}, {1, 32, 1, 1}, {1, 32, 1, 1}, {}, {}, sizes, {}, {}}));
  EXPECT_TRUE(found["args"][6].contains("dtype"));
}

TEST(CudnnBackend, SeveralProductsAreNoneOfThem) {
  Program program;
  const Descriptor between = program.tensor({1, 8, 8}, true);
  const Json found = program.of_graph(
      {program.matmul(program.tensor({1, 8, 8}), program.tensor({1, 8, 8}), between),
       program.matmul(between, program.tensor({1, 8, 8}), program.tensor({1, 8, 8}))});
  EXPECT_EQ(found["op"], "cudnn::graph");
  EXPECT_EQ(found["facts"]["operations"], "matmul matmul");
}

/// Products around a softmax; `compares`: the mode of the mask's comparison, negative: no mask.
Json attention(Program& program, int compares, bool is_ragged = false) {
  const Sizes scores{2, 4, 64, 128};
  Descriptor q = program.tensor({2, 4, 64, 32});
  if (is_ragged) {
    q = program.create(17);
    program.set(q, 906, {99});
    program.set(q, 902, {2, 4, 64, 32});
    program.refer(q, 913, {program.tensor({3, 1, 1, 1})});
    program.finalize(q);
  }
  const auto between = [&] { return program.tensor(scores, true); };
  const Descriptor first = between(), powers = between(), shares = between();
  Descriptor masked = first;
  std::vector<Descriptor> all{program.matmul(q, program.tensor({2, 4, 32, 128}), first)};
  if (compares >= 0) {
    const Descriptor row = between(), column = between(), is_seen = between();
    masked = between();
    all.push_back(program.pointwise(501, first, nullptr, row, 2));
    all.push_back(program.pointwise(501, first, nullptr, column, 3));
    all.push_back(program.pointwise(compares, row, column, is_seen));
    all.push_back(program.pointwise(601, first, is_seen, masked));
  }
  all.push_back(program.pointwise(13, masked, nullptr, powers));
  all.push_back(program.pointwise(6, powers, program.tensor({2, 4, 64, 1}, true), shares));
  all.push_back(
      program.matmul(shares, program.tensor({2, 4, 128, 16}), program.tensor({2, 4, 64, 16})));
  return program.of_graph(all);
}

TEST(CudnnBackend, RecognizesAttention) {
  Program program;
  const Json found = attention(program, -1);
  EXPECT_EQ(found["op"], "cudnn::sdpa");
  EXPECT_EQ(found["facts"]["layout"], "bhsd");
  EXPECT_FALSE(found["facts"].contains("is_causal"));
  EXPECT_EQ(
      shapes(found),
      (std::vector<Sizes>{{2, 4, 64, 32}, {2, 4, 128, 32}, {2, 4, 128, 16}, {2, 4, 64, 16}, {}}));
  EXPECT_EQ(attention(program, 303)["facts"]["is_causal"], true);
  EXPECT_FALSE(attention(program, 304)["facts"].contains("is_causal"));
  const Json ragged = attention(program, -1, true);
  EXPECT_EQ(ragged["facts"]["lengths"], "ragged");
  EXPECT_FALSE(ragged.contains("args"));
}

TEST(CudnnBackend, IsBounded) {
  BackendTable table;
  for (std::uintptr_t i = 1; i <= 2 * BackendTable::kMaxDescriptors; ++i) {
    table.create(reinterpret_cast<Descriptor>(i * 16), 17);  // NOLINT(performance-no-int-to-ptr)
  }
  EXPECT_LE(table.size(), BackendTable::kMaxDescriptors);
  EXPECT_GE(table.size(), BackendTable::kMaxDescriptors / 2);
}

TEST(CudnnBackend, ThreadsShareIt) {
  Program common;
  const Descriptor shared = common.plan(common.config(common.graph({common.convolution(
      common.tensor({2, 8, 8, 8}), common.tensor({8, 8, 1, 1}), common.tensor({2, 8, 8, 8}))})));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (std::uintptr_t thread = 1; thread <= 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::uintptr_t i = 0; i < 500; ++i) {
        // Each address is another thread's a moment later.
        const std::uintptr_t place = (std::uintptr_t{1} << 32) + (i * 4 + thread) % 8 * 16;
        const auto mine = reinterpret_cast<Descriptor>(place);  // NOLINT(performance-no-int-to-ptr)
        common.table.create(mine, 17);
        common.set(mine, 902, {1, 2, 3, 4});
        common.table.finalize(mine);
        common.table.describe(shared, std::make_shared<const BackendPlan>());
        if (common.table.plan(shared) == nullptr) ++wrong;
        if (common.described(shared)["op"] != "cudnn::conv_fprop") ++wrong;
        common.table.destroy(mine);
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace prof::collectors
