// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of ops as bytes, and the signatures made of them.
#include "collectors/ops/op_arguments.hpp"

#include <gtest/gtest.h>

#include <array>

namespace prof::collectors {
namespace {

class OpArguments : public ::testing::Test {
 protected:
  [[nodiscard]] std::string args() const {
    const std::string signature = signature_of("aten::op", false, writer.bytes());
    const std::size_t at = signature.find("\"args\":");
    return at == std::string::npos ? "" : signature.substr(at + 7, signature.size() - at - 8);
  }

  std::array<std::byte, 256> room{};
  ArgumentWriter writer{room};
};

constexpr std::uint8_t kFloat16 = 8;

TEST_F(OpArguments, WithoutAnyASignatureHasNoArguments) {
  EXPECT_EQ(signature_of("aten::op", false, {}), R"({"source":"torch","op":"aten::op"})");
  EXPECT_EQ(signature_of("MmBackward0", true, {}),
            R"({"source":"torch","op":"MmBackward0","scope":"backward"})");
}

TEST_F(OpArguments, StridesOfContiguousTensorsFollowFromTheirSizes) {
  const std::int64_t sizes[] = {2, 3, 0}, contiguous[] = {3, 1, 1}, transposed[] = {1, 2, 6};
  writer.tensor(kFloat16, sizes, contiguous, 3);
  const std::size_t short_form = writer.size();
  writer.tensor(kFloat16, sizes, transposed, 3);
  EXPECT_LT(short_form, writer.size() - short_form);
  writer.tensor(kUnknownDtype, sizes, nullptr, 1);
  writer.tensor(kFloat16, nullptr, nullptr, 0);
  EXPECT_EQ(args(), R"([{"shape":[2,3,0],"dtype":"float16","strides":[3,1,1]},)"
                    R"({"shape":[2,3,0],"dtype":"float16","strides":[1,2,6]},)"
                    R"({"shape":[2]},{"shape":[],"dtype":"float16"}])");
}

TEST_F(OpArguments, ScalarsAndLists) {
  writer.integer(-1);
  writer.real(0.5);
  writer.boolean(true);
  writer.none();
  writer.list(2);
  writer.integer(3);
  writer.boolean(false);
  writer.list(2);
  writer.none();
  writer.integer(4);
  writer.list(0);
  EXPECT_EQ(args(), R"([{"value":-1},{"value":0.5},{"value":true},null,{"value":[3,false]},)"
                    R"({"list":[null,{"value":4}]},{"list":[]}])");
}

TEST_F(OpArguments, WhatDoesNotFitIsLeftOut) {
  const std::int64_t sizes[40] = {};
  writer.integer(1);
  const std::size_t before = writer.size();
  writer.tensor(kFloat16, sizes, nullptr, 40);
  EXPECT_TRUE(writer.is_cut());
  writer.rewind(before);
  writer.unknown();
  EXPECT_EQ(args(), R"([{"value":1},null])");
}

TEST_F(OpArguments, DamagedBytesEndTheArguments) {
  const std::int64_t sizes[] = {2, 3};
  writer.integer(1);
  writer.list(2);
  writer.tensor(kFloat16, sizes, nullptr, 2);
  writer.none();
  for (std::size_t kept = 0; kept <= writer.size(); ++kept) {
    const auto signature = signature_of("op", false, std::span<const std::byte>(room).first(kept));
    EXPECT_EQ(signature.back(), '}');
  }
  for (int byte = 0; byte < 256; ++byte) {
    std::array<std::byte, 64> same{};
    same.fill(static_cast<std::byte>(byte));
    EXPECT_EQ(signature_of("op", false, same).back(), '}');
  }
}

}  // namespace
}  // namespace prof::collectors
