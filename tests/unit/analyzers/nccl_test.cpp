// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// NCCL's ranges: calls, groups, communicators, and enclosing ranges.
#include <gtest/gtest.h>

#include "analyzers/attributor.hpp"
#include "analyzers/ranges/payloads.hpp"
#include "analyzers/stacks/stack_walker.hpp"
#include "tests/unit/analyzers/fake_trace.hpp"

namespace prof {
namespace {

using fakes::FakeTrace;
using fakes::op_text;

constexpr std::uint64_t kInit = 1, kCall = 2, kOldCall = 3, kSplit = 4, kRootCall = 5;
constexpr std::uint64_t kComm = 0xf5f413c6880c9251;  // above 2^63, as hashes are

class Nccl : public ::testing::Test {
 protected:
  Nccl() {
    trace_.payload_schema(domain_, kInit, {"NCCL communicator ID", "No. of ranks", "Rank"});
    trace_.payload_schema(domain_, kCall, {"NCCL communicator ID", "Message size [bytes]"});
    trace_.payload_schema(domain_, kOldCall, {"Bytes", "Root"});
    trace_.payload_schema(domain_, kRootCall,
                          {"NCCL communicator ID", "Message size [bytes]", "Root"});
    trace_.payload_schema(domain_, kSplit,
                          {"NCCL communicator ID", "Parent NCCL communicator ID", "No. of ranks"});
  }

  /// A communicator of `ranks`.
  void init(std::uint64_t ranks, std::uint64_t comm = kComm, std::uint64_t rank = 0) {
    trace_.payload(trace_.push("ncclCommInitRank", 1, domain_), kInit, {comm, ranks, rank});
    trace_.pop();
  }
  RangeId open(std::string_view function, std::uint64_t bytes, std::uint64_t comm = kComm) {
    const RangeId range = trace_.push(function, 1, domain_);
    trace_.payload(range, kCall, {comm, bytes});
    return range;
  }
  /// A call that launches nothing.
  void call(std::string_view function, std::uint64_t bytes, std::uint64_t comm = kComm) {
    open(function, bytes, comm);
    trace_.pop();
  }
  void empty(std::string_view function, std::uint32_t thread = 1) {
    trace_.push(function, thread, domain_);
    trace_.pop(thread);
  }

  /// Attribution starts after the program has run.
  const OpAttribution& at(RangeId stack) {
    if (!contexts_) contexts_.emplace(trace_, std::size_t{1} << 16);
    contexts_->advance(INT64_MAX - 1);
    const StackMeaning meaning = contexts_->meaning(stack);
    op_id_ = meaning.op_id;
    return *contexts_->attribution(*meaning.attributed, DType::kUnknown);
  }

  FakeTrace trace_;
  const DomainId domain_ = trace_.domain("NCCL");
  std::optional<StackWalker> contexts_;
  std::uint64_t op_id_ = 0;
};

TEST_F(Nccl, ACallIsAnOpWithItsBytesAndBandwidths) {
  init(4);
  const RangeId range = open("ncclAllReduce", 1000);
  const OpAttribution& op = at(range);
  EXPECT_EQ(op.op, "all_reduce");
  EXPECT_EQ(op.op_inner, "ncclAllReduce");
  EXPECT_EQ(op.module, "nccl");
  EXPECT_EQ(op.params, "bytes=1000,ranks=4");
  EXPECT_TRUE(op.known_op);
  EXPECT_EQ(op.op_from, Provenance::kExact);
  EXPECT_EQ(op.direction, Direction::kNone);
  EXPECT_EQ(op.cost.read, 1000);
  EXPECT_EQ(op.cost.written, 1000);
  EXPECT_EQ(op.cost.algorithm_bytes, 1000);
  EXPECT_EQ(op.cost.bus_bytes, 1500) << "2 (n - 1) / n";
  EXPECT_FALSE(op.cost.flops) << "how many elements there are is not told";
  EXPECT_EQ(op_id_, range);
}

TEST_F(Nccl, ACallSaysBetweenWhichGpusItIs) {
  init(4, kComm, 2);
  const CommunicationGroup known = at(open("ncclAllReduce", 1000)).group;
  EXPECT_EQ(known.communicator, static_cast<std::int64_t>(kComm));
  EXPECT_EQ(known.ranks, 4);
  EXPECT_EQ(known.rank, 2);
  EXPECT_FALSE(known.peer);
  EXPECT_FALSE(known.root);
}

TEST_F(Nccl, AGroupSaysWhatItsCallsAgreeOn) {
  init(4);
  init(8, 7);
  empty("ncclGroupStart");
  call("ncclAllReduce", 10);
  call("ncclAllReduce", 10);
  EXPECT_EQ(at(trace_.push("ncclGroupEnd", 1, domain_)).group.ranks, 4);
  trace_.pop();
  empty("ncclGroupStart");
  call("ncclAllReduce", 10);
  call("ncclAllReduce", 10, 7);
  const CommunicationGroup group = at(trace_.push("ncclGroupEnd", 1, domain_)).group;
  EXPECT_FALSE(group.communicator);
  EXPECT_FALSE(group.ranks);
}

TEST_F(Nccl, CountsAreOneRanksPartWhereNcclSaysSo) {
  init(4);
  struct Expected {
    std::string_view function, op;
    std::optional<double> read, written, message;
  };
  constexpr auto kUnknown = std::nullopt;
  for (const Expected& expected :
       std::initializer_list<Expected>{{"ncclAllGather", "all_gather", 10, 40, 40},
                                       {"ncclReduceScatter", "reduce_scatter", 40, 10, 40},
                                       {"ncclAlltoAll", "all_to_all", 40, 40, 40},
                                       {"ncclBroadcast", "broadcast", kUnknown, kUnknown, 10},
                                       {"ncclReduce", "reduce", 10, kUnknown, 10},
                                       {"ncclGather", "gather_ranks", 10, kUnknown, 40},
                                       {"ncclScatter", "scatter_ranks", kUnknown, 10, 40},
                                       {"ncclSend", "send", 10, 0, 10},
                                       {"ncclRecv", "recv", 0, 10, 10}}) {
    const RangeId range = open(expected.function, 10);
    trace_.pop();
    const OpAttribution& op = at(range);
    EXPECT_EQ(op.op, expected.op);
    EXPECT_EQ(op.cost.read, expected.read) << expected.function;
    EXPECT_EQ(op.cost.written, expected.written) << expected.function;
    EXPECT_EQ(op.cost.algorithm_bytes, expected.message) << expected.function;
  }
}

TEST_F(Nccl, WhatARankMovesDependsOnTheRoot) {
  init(4, kComm, 2);
  init(4, 7, 0);
  init(4, 7, 1);  // several ranks in one process
  struct Expected {
    std::string_view function;
    std::uint64_t comm, root;
    std::optional<double> read, written;
  };
  constexpr auto kUnknown = std::nullopt;
  for (const Expected& expected :
       std::initializer_list<Expected>{{"ncclBroadcast", kComm, 0, 0, 10},
                                       {"ncclBroadcast", kComm, 2, 10, kUnknown},
                                       {"ncclReduce", kComm, 0, 10, 0},
                                       {"ncclReduce", kComm, 2, 10, 10},
                                       {"ncclGather", kComm, 0, 10, 0},
                                       {"ncclGather", kComm, 2, 10, 40},
                                       {"ncclScatter", kComm, 0, 0, 10},
                                       {"ncclScatter", kComm, 2, 40, 10},
                                       {"ncclReduce", 7, 0, 10, kUnknown}}) {
    const RangeId range = trace_.push(expected.function, 1, domain_);
    trace_.payload(range, kRootCall, {expected.comm, 10, expected.root});
    trace_.pop();
    const OpCost& cost = at(range).cost;
    EXPECT_EQ(cost.read, expected.read) << expected.function << " root " << expected.root;
    EXPECT_EQ(cost.written, expected.written) << expected.function << " root " << expected.root;
  }
}

TEST_F(Nccl, WithoutARankCountOnlyWhatFollowsFromTheCallIsTold) {
  init(8, 0);  // a communicator whose id was not known yet
  trace_.payload(trace_.push("ncclCommSplit", 1, domain_), kSplit, {kComm, 5, 8});
  trace_.pop();
  const RangeId gather = open("ncclAllGather", 10);
  trace_.pop();
  const RangeId none = open("ncclAllReduce", 10, 0);
  trace_.pop();
  EXPECT_EQ(at(gather).params, "");
  EXPECT_EQ(at(gather).cost.read, 10);
  EXPECT_FALSE(at(gather).cost.bytes);
  EXPECT_FALSE(at(gather).cost.algorithm_bytes);
  EXPECT_EQ(at(none).params, "bytes=10");
  EXPECT_FALSE(at(none).cost.bus_bytes);
}

TEST_F(Nccl, OldVersionsTellBytesOrNothing) {
  const RangeId old = trace_.push("ncclBroadcast", 1, domain_);
  trace_.payload(old, kOldCall, {256, 1});
  trace_.pop();
  const RangeId bare = trace_.push("ncclAllReduce", 1, domain_);
  EXPECT_EQ(at(old).params, "bytes=256");
  EXPECT_EQ(at(bare).op, "all_reduce");
  EXPECT_TRUE(at(bare).known_op);
  EXPECT_FALSE(at(bare).cost.bytes);
}

TEST_F(Nccl, TheSameTextWithOtherNumbersIsAnotherCall) {
  init(2);
  const RangeId first = open("ncclAllReduce", 8);
  trace_.pop();
  const RangeId second = open("ncclAllReduce", 16);
  EXPECT_EQ(at(first).cost.read, 8);
  EXPECT_EQ(at(second).cost.read, 16);
}

TEST_F(Nccl, AGroupIsLaunchedByItsEnd) {
  init(2);
  call("ncclAllGather", 99);  // before the group
  empty("ncclGroupStart");
  call("ncclAllReduce", 100);
  empty("ncclGroupStart");
  call("ncclAllReduce", 20);
  empty("ncclGroupEnd");
  trace_.push("ncclAllReduce", 2, domain_);  // of another thread
  const RangeId end = trace_.push("ncclGroupEnd", 1, domain_);
  const OpAttribution& op = at(end);
  EXPECT_EQ(op.op, "all_reduce");
  EXPECT_EQ(op.op_inner, "ncclAllReduce");
  EXPECT_EQ(op.params, "bytes=120,ranks=2,calls=2");
  EXPECT_EQ(op.cost.bus_bytes, 120);
  EXPECT_EQ(op_id_, end);
}

TEST_F(Nccl, SendsAndReceivesOfAGroupRunAtOnce) {
  init(2);
  empty("ncclGroupStart");
  call("ncclSend", 100);
  call("ncclRecv", 60);
  call("ncclRecv", 60);
  const OpAttribution& op = at(trace_.push("ncclGroupEnd", 1, domain_));
  EXPECT_EQ(op.op, "send_recv");
  EXPECT_EQ(op.cost.read, 100);
  EXPECT_EQ(op.cost.written, 120);
  EXPECT_EQ(op.cost.algorithm_bytes, 120);
}

TEST_F(Nccl, AGroupOfDifferentCallsHasNoSize) {
  init(2);
  init(3, 7);
  empty("ncclGroupStart");
  call("ncclAllReduce", 100);
  call("ncclAllGather", 10, 7);
  const OpAttribution& op = at(trace_.push("ncclGroupEnd", 1, domain_));
  EXPECT_EQ(op.op, "nccl_group");
  EXPECT_TRUE(op.known_op);
  EXPECT_EQ(op.op_inner, "ncclGroupEnd");
  EXPECT_EQ(op.cost.bytes, 200 + 40);
  EXPECT_FALSE(op.cost.algorithm_bytes);
  EXPECT_EQ(op.params, "calls=2");
}

TEST_F(Nccl, GroupsWithoutCallsOrBeginning) {
  empty("ncclGroupStart");
  const RangeId of_nothing = trace_.push("ncclGroupEnd", 1, domain_);
  trace_.pop();
  EXPECT_EQ(at(of_nothing).op, "");
  EXPECT_EQ(contexts_->batches_without_beginning(), 0U);
  call("ncclAllReduce", 10);
  const RangeId half = trace_.push("ncclGroupEnd", 1, domain_);
  EXPECT_EQ(at(half).op, "");
  EXPECT_EQ(contexts_->batches_without_beginning(), 1U);
}

TEST_F(Nccl, TheProgramsOpKeepsTheWork) {
  init(2);
  trace_.push("layer:grads");
  const RangeId native = trace_.push(op_text("all_reduce", "update", "x:inout:25:float32"));
  const RangeId range = open("ncclAllReduce", 100);
  const OpAttribution& op = at(range);
  EXPECT_EQ(op.op, "all_reduce");
  EXPECT_EQ(op.module, "prof");
  EXPECT_EQ(op.op_inner, "ncclAllReduce");
  EXPECT_EQ(op.layer, "grads");
  EXPECT_EQ(op.direction, Direction::kUpdate);
  EXPECT_EQ(op.cost.flops, 25);
  EXPECT_EQ(op.cost.bytes, 200) << "its own tensors say it";
  EXPECT_EQ(op.cost.bus_bytes, 100) << "the number of ranks is NCCL's";
  EXPECT_EQ(op_id_, native);
}

TEST_F(Nccl, AnOpOfTorchHasItsBytesFromNccl) {
  init(2);
  const RangeId outer =
      trace_.push("c10d::allreduce_, seq = 5, op_id = 6, sizes = [[50], [], [], [], [], []]");
  trace_.push("record_param_comms, op_id = 7, sizes = [[50], [], [], [], [], [], [], [], [], []]");
  trace_.push("nccl:all_reduce, op_id = 8, sizes = [[50]]");
  const OpAttribution& op = at(open("ncclAllReduce", 100));
  EXPECT_EQ(op.op, "all_reduce");
  EXPECT_EQ(op.op_inner, "ncclAllReduce");
  EXPECT_EQ(op.params, "T=(50)");
  EXPECT_EQ(op.cost.flops, 50);
  EXPECT_EQ(op.cost.bytes, 200);
  EXPECT_EQ(op.cost.algorithm_bytes, 100);
  EXPECT_EQ(op.direction, Direction::kNone) << "gradients, parameters, a loss: nothing tells";
  EXPECT_EQ(op.direction_from, Provenance::kNone);
  EXPECT_EQ(op_id_, outer);
}

TEST_F(Nccl, AnOpOfTorchInsideAModuleHasItsDirection) {
  init(2);
  trace_.push("layer:block");
  trace_.push("c10d::allreduce_, seq = 5, op_id = 6, sizes = [[50], [], [], [], [], []]");
  const OpAttribution& op = at(open("ncclAllReduce", 100));
  EXPECT_EQ(op.direction, Direction::kFprop);
  EXPECT_EQ(op.direction_from, Provenance::kExact);
}

TEST_F(Nccl, ARangeAroundACollectiveMayStateItsDirection) {
  init(2);
  trace_.push(R"({"v":1,"mod":"prof","dir":"bprop"})");
  trace_.push("c10d::allreduce_, seq = 5, op_id = 6, sizes = [[50], [], [], [], [], []]");
  EXPECT_EQ(at(open("ncclAllReduce", 100)).direction, Direction::kBprop);
}

TEST_F(Nccl, AnAllToAllOfSendsAndReceivesIsCountedAsOne) {
  init(2);
  trace_.push("c10d::alltoall_, op_id = 6, sizes = [[5], [5], [5], [5], [], [], []]");
  empty("ncclGroupStart");
  for (const char* function : {"ncclSend", "ncclSend", "ncclRecv", "ncclRecv"}) call(function, 20);
  const OpAttribution& op = at(trace_.push("ncclGroupEnd", 1, domain_));
  EXPECT_EQ(op.op, "all_to_all");
  EXPECT_EQ(op.params, "T=[(5),(5)]");
  EXPECT_EQ(op.cost.algorithm_bytes, 40);
  EXPECT_EQ(op.cost.bus_bytes, 20);
}

TEST_F(Nccl, GatherAndScatterOfRanksAreNotThoseOfElements) {
  init(2);
  trace_.push("c10d::gather_, seq = 1, op_id = 6, sizes = [[], [8], [], [], [], []]");
  const RangeId recv = open("ncclRecv", 32);
  trace_.pop();
  trace_.pop();
  trace_.push("c10d::scatter_, seq = 1, op_id = 6, sizes = [[8], [], [], [], [], []]");
  const RangeId send = open("ncclSend", 32);
  EXPECT_EQ(at(recv).op, "gather_ranks");
  EXPECT_EQ(at(recv).params, "T=(8)");
  EXPECT_EQ(at(recv).cost.written, 32);
  EXPECT_EQ(at(send).op, "scatter_ranks");
  EXPECT_EQ(at(send).cost.flops, 0);
}

TEST_F(Nccl, AdditionsOfWhatIsNotToldAreUnknown) {
  init(2);
  trace_.push("c10d::reduce_scatter_, op_id = 6, sizes = [[8], [], [], [], [], []]");
  const OpAttribution& op = at(open("ncclReduceScatter", 32));
  EXPECT_EQ(op.op, "reduce_scatter");
  EXPECT_FALSE(op.cost.flops);
  EXPECT_EQ(op.cost.read, 64);
  EXPECT_EQ(op.cost.bus_bytes, 32);
}

TEST_F(Nccl, FullyShardedReducesInTheBackwardPass) {
  init(2);
  trace_.push("FSDP::root_post_backward_callback, op_id = 1");
  trace_.push("FSDP::post_backward_reduce (0), op_id = 2");
  trace_.push("c10d::_reduce_scatter_base_, op_id = 3, sizes = [[4], [8], [], [], [], []]");
  const RangeId reduce = open("ncclReduceScatter", 16);
  trace_.pop();
  trace_.pop();
  trace_.push("fsdp::chunk_cat, op_id = 4, sizes = [[3], [1], [], [], [2, 2]]");
  const OpAttribution& op = at(reduce);
  EXPECT_EQ(op.direction, Direction::kBprop);
  EXPECT_EQ(op.layer, "") << "torch's own ranges are no layers";
  EXPECT_EQ(op.cost.flops, 8);
  const OpAttribution& cat = at(trace_.push("aten::noop, op_id = 5"));
  EXPECT_EQ(cat.op, "cat");
  EXPECT_TRUE(cat.known_op);
}

TEST_F(Nccl, WhatTorchHasNoModelOfIsNccls) {
  init(2);
  empty("ncclGroupStart");
  call("ncclSend", 100);
  call("ncclRecv", 100);
  trace_.push("nccl:coalesced, op_id = 3");
  const RangeId end = trace_.push("ncclGroupEnd", 1, domain_);
  EXPECT_EQ(at(end).op, "send_recv");
  EXPECT_EQ(at(end).layer, "") << "torch's own range is no layer";
  EXPECT_EQ(op_id_, end);
}

TEST_F(Nccl, ABucketOfGradientsIsReducedInTheBackwardPassOfNoLayer) {
  init(2);
  trace_.push("layer:fc");
  trace_.push("aten::linear, seq = 9, op_id = 1, sizes = [[4, 8], [2, 8], [2]]");
  trace_.push("aten::addmm, seq = 9, op_id = 2, sizes = [[2], [4, 8], [8, 2], [], []]");
  trace_.pop();
  trace_.pop();
  trace_.pop();
  trace_.push("autograd::engine::evaluate_function: AddmmBackward0, op_id = 10");
  trace_.push("AddmmBackward0, seq = 9, op_id = 11, sizes = [[4, 2]]");
  trace_.pop();
  trace_.pop();
  const RangeId around = trace_.push(
      "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad, op_id = 12");
  trace_.push(
      "torch::autograd::AccumulateGrad, op_id = 13, sizes = [[2, 8]], input_op_ids = [(11,0)]");
  trace_.pop();
  const RangeId reduce =
      trace_.push("c10d::allreduce_, op_id = 14, sizes = [[16], [], [], [], [], []]");
  const RangeId range = open("ncclAllReduce", 64);
  trace_.kernel("ncclDevKernel_AllReduce");
  EXPECT_EQ(at(around).op, "accumulate_grad");
  EXPECT_EQ(at(around).layer, "fc");
  const OpAttribution& op = at(range);
  EXPECT_EQ(op.op, "all_reduce");
  EXPECT_EQ(op.direction, Direction::kBprop);
  EXPECT_EQ(op.layer, "");
  EXPECT_EQ(op.layer_from, Provenance::kNone);
  EXPECT_EQ(op.op_from, Provenance::kExact);
  EXPECT_EQ(op.params, "T=(16)");
  EXPECT_EQ(op_id_, reduce);
}

TEST_F(Nccl, CallsInsideABackwardNodeAreTheirOwnOp) {
  init(2);
  trace_.push("layer:fc");
  trace_.push("aten::linear, seq = 9, op_id = 1, sizes = [[4, 8], [2, 8], [2]]");
  trace_.pop();
  trace_.pop();
  trace_.push("LinearBackward0, seq = 9, op_id = 2, sizes = [[4, 2]]");
  const OpAttribution& op = at(open("ncclReduceScatter", 64));
  EXPECT_EQ(op.op, "reduce_scatter");
  EXPECT_EQ(op.direction, Direction::kBprop);
  EXPECT_EQ(op.layer, "fc");
  EXPECT_EQ(op.layer_from, Provenance::kInherited);
}

TEST_F(Nccl, KernelsOfAGroupShareItsBytes) {
  init(2);
  empty("ncclGroupStart");
  call("ncclAllReduce", 64);
  call("ncclAllReduce", 64);
  trace_.push("ncclGroupEnd", 1, domain_);
  trace_.kernel("ncclDevKernel_A");
  trace_.kernel("ncclDevKernel_A");
  const auto cursor = attribute_work(trace_);
  for (int i = 0; i < 2; ++i) {
    const AttributedRow* row = cursor->next();
    ASSERT_NE(row, nullptr);
    EXPECT_EQ(row->attribution.op->op, "all_reduce");
    EXPECT_EQ(row->attribution.cost.bytes, 128);
    EXPECT_EQ(row->attribution.cost.read, 64);
    EXPECT_EQ(row->attribution.cost.written, 64);
    EXPECT_EQ(row->attribution.cost.algorithm_bytes, 64);
    EXPECT_EQ(row->attribution.cost.bus_bytes, 64);
  }
}

TEST_F(Nccl, ItsDomainMayBeChosenAndKeepsItsOps) {
  init(2);
  trace_.push("ncclCommInitRank", 1, domain_);
  const RangeId range = open("ncclAllReduce", 64);
  contexts_.emplace(trace_, std::size_t{1} << 16, RangeOptions{{"NCCL"}, {}});
  const OpAttribution& op = at(range);
  EXPECT_EQ(op.op, "all_reduce");
  EXPECT_EQ(op.cost.bus_bytes, 64);
  EXPECT_EQ(op.layer, "ncclCommInitRank") << "plain names of a chosen domain are layers";
}

TEST_F(Nccl, OtherDomainsMayUseItsNames) {
  const DomainId other = trace_.domain("mine");
  EXPECT_EQ(at(trace_.push("ncclAllReduce", 1, other)).op, "");
}

TEST(PayloadsTest, SchemasAndBytesOfAnyForm) {
  FakeTrace trace;
  const DomainId domain = trace.domain("D");
  trace.payload_schema_text(domain, 1, "not JSON");
  trace.payload_schema_text(domain, 2, R"({"name":"a"})");
  trace.payload_schema_text(
      domain, 3,
      R"([7,{"name":"far","type":"int","offset":18446744073709551615,"array":0},
          {"name":"unplaced","type":"int","offset":null,"array":0},
          {"name":"many","type":"int","offset":0,"array":4},
          {"name":"text","type":"cstring","offset":0,"array":0},
          {"name":"there","type":"cstring","offset":0,"array":0,"stored":"offset"},
          {"name":"signed","type":"int","offset":0,"array":0},
          {"name":"unsigned","type":"uint16","offset":2,"array":0},
          {"name":"cut","type":"uint64","offset":2,"array":0}])");
  const RangeId range = trace.push("r", 1, domain);
  trace.payload_bytes(range, 1, "12345678");
  trace.payload_bytes(range, 3, std::string("\xfe\xff\xff\xff", 4));
  trace.payload_bytes(range, 99, "of no schema");
  const RangeId bare = trace.push("r", 1, domain);
  Payloads payloads(trace);
  EXPECT_TRUE(payloads.in(domain));
  EXPECT_FALSE(payloads.in(kDefaultDomain));
  EXPECT_EQ(payloads.of(trace.range_row(bare)), nullptr);
  const dialects::RangePayload* payload = payloads.of(trace.range_row(range));
  ASSERT_NE(payload, nullptr);
  EXPECT_EQ(payload->number("signed"), -2);
  EXPECT_EQ(payload->number("unsigned"), 65535);
  for (const char* absent : {"far", "unplaced", "many", "text", "there", "cut", "a", ""}) {
    EXPECT_EQ(payload->number(absent), std::nullopt) << absent;
  }
  EXPECT_EQ(payload->fact({"signed", "unsigned", {}}, -2), 65535);
  EXPECT_EQ(payload->fact({"signed", "unsigned", {}}, 3), std::nullopt);
  EXPECT_EQ(payload->fact({"signed", "unsigned", "cut"}, -2), std::nullopt);
}

}  // namespace
}  // namespace prof
