// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "common/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "common/ledger_file.hpp"
#include "common/ledger_ops.hpp"
#include "common/ledger_writer.hpp"

namespace ref {
namespace {

Ledger two_ops() {
  Ledger ledger("test");
  ledger.note_size("batch", 8);
  ledger.set_estimate({"6*P*T", 100});
  LedgerWriter out(ledger);
  const auto block = out.layer("Block");
  {
    const auto layer = out.layer("Dense");
    out.add(ledger::linear_data_gradient({{8}, 16, 10}));
  }
  out.add(ledger::relu({8, 10}));
  return ledger;
}

TEST(LedgerWriter, LayersNestAndEnd) {
  Ledger ledger("test");
  LedgerWriter out(ledger);
  const auto op = ledger::relu({1});
  out.add(op);
  {
    const auto a = out.layer("A");
    {
      const auto b = out.layer("B");
      out.add(op);
    }
    out.add(op);
  }
  out.add(op);
  std::vector<std::string> layers;
  for (const LedgerOp& one : ledger.ops()) layers.push_back(one.layer);
  EXPECT_THAT(layers, testing::ElementsAre("", "A:B", "A", ""));
}

TEST(Ledger, Totals) {
  const Ledger ledger = two_ops();
  EXPECT_EQ(ledger.flops(), 2560 + 80);
  EXPECT_EQ(ledger.bytes(), 736 + 320);
}

TEST(Ledger, Json) {
  std::ostringstream text;
  two_ops().write_json(text);
  const auto json = nlohmann::json::parse(text.str());
  EXPECT_EQ(json["model"], "test");
  EXPECT_EQ(json["config"]["batch"], 8);
  EXPECT_EQ(json["flops"], 2640);
  EXPECT_EQ(json["estimate"]["formula"], "6*P*T");
  ASSERT_EQ(json["ops"].size(), 2U);
  const auto& gradient = json["ops"][0];
  EXPECT_EQ(gradient["layer"], "Block:Dense");
  EXPECT_EQ(gradient["dir"], "bprop");
  EXPECT_EQ(gradient["part"], "data");
  EXPECT_EQ(gradient["inputs"], nlohmann::json::parse("[[8,10],[10,16]]"));
  EXPECT_EQ(gradient["outputs"], nlohmann::json::parse("[[8,16]]"));
  EXPECT_EQ(gradient["m"], 16);
  EXPECT_EQ(gradient["k"], 10);
  EXPECT_EQ(gradient["library"], true);
  EXPECT_TRUE(json["ops"][1]["part"].is_null());
  EXPECT_FALSE(json["ops"][1].contains("m"));
}

TEST(Ledger, JsonOfNothing) {
  std::ostringstream text;
  Ledger("empty").write_json(text);
  EXPECT_TRUE(nlohmann::json::parse(text.str())["ops"].empty());
}

TEST(LedgerFile, Writes) {
  const auto path = std::filesystem::path(testing::TempDir()) / "ledger_test.json";
  write_ledger(two_ops(), path.string());
  std::ifstream file(path);
  EXPECT_EQ(nlohmann::json::parse(file)["ops"].size(), 2U);
  std::filesystem::remove(path);
}

TEST(LedgerFile, SaysWhatIsWrong) {
  try {
    write_ledger(two_ops(), "/dev/full");
    FAIL() << "a full disk was not noticed";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot write the ledger to /dev/full: No space left on device");
  }
  EXPECT_THROW(write_ledger(two_ops(), "/no/such/folder/ledger.json"), std::runtime_error);
}

}  // namespace
}  // namespace ref
