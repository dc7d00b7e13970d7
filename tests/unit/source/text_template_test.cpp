// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "libprof/source/text_template.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <set>

#include "libprof/source/gz_lines.hpp"

namespace prof {
namespace {

constexpr const char* kPlace = "\x01";

std::vector<std::uint64_t> numbers_of(std::string_view text) {
  return decode_numbers(split_text(text).numbers);
}

TEST(TextTemplateTest, TakesOutTheNumbersOfOldTorch) {
  EXPECT_EQ(numbers_of("mm, seq=12, sizes = [[2, 3]]"), std::vector<std::uint64_t>{12});
  EXPECT_EQ(numbers_of("MmBackward, stashed seq=7"), std::vector<std::uint64_t>{7});
  EXPECT_EQ(join_text(split_text("a, seq=1").text, split_text("a, seq=1").numbers), "a, seq=1");
}

TEST(TextTemplateTest, TakesOutTorchsNumbers) {
  const std::string text =
      "aten::linear, seq = 616, op_id = 133, sizes = [[4, 128, 1024], [1024]], "
      "input_op_ids = [(72,0), (0,-1), (13,1)]";
  const SplitText split = split_text(text);
  EXPECT_EQ(split.text, std::string("aten::linear, seq = ") + kPlace + ", op_id = " + kPlace +
                            ", sizes = [[4, 128, 1024], [1024]], input_op_ids = [(" + kPlace +
                            ",0), (0,-1), (" + kPlace + ",1)]");
  EXPECT_EQ(decode_numbers(split.numbers), (std::vector<std::uint64_t>{616, 133, 72, 13}));
  EXPECT_EQ(join_text(split.text, split.numbers), text);
}

TEST(TextTemplateTest, TakesOutNothingElse) {
  for (const char* text : {"", "step:12", "Train step 7", "sizes = [[1, 2]]", "seq = 5",
                           "op_id = 5", ", seq 5", "(5,0)", "{\"shape\":[32768,13]}"}) {
    const SplitText split = split_text(text);
    EXPECT_EQ(split.text, text);
    EXPECT_TRUE(split.numbers.empty()) << text;
  }
}

TEST(TextTemplateTest, TakesOutOnlyCanonicalDecimals) {
  EXPECT_TRUE(numbers_of("a, seq = 007").empty());
  EXPECT_TRUE(numbers_of("a, seq = -7").empty());
  EXPECT_TRUE(numbers_of("a, seq = +7").empty());
  EXPECT_TRUE(numbers_of("a, seq = ").empty());
  EXPECT_TRUE(numbers_of("a, seq =  7").empty());
  EXPECT_TRUE(numbers_of("a, seq = 18446744073709551616").empty());
  EXPECT_EQ(numbers_of("a, seq = 18446744073709551615"), (std::vector<std::uint64_t>{~0ul}));
  EXPECT_EQ(numbers_of("a, seq = 0"), (std::vector<std::uint64_t>{0}));
}

TEST(TextTemplateTest, EveryTextComesBackByteForByte) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"a, seq = 1, seq = 2, op_id = 3"s, "x, op_id = 5x"s, "input_op_ids = [(1,0), [(2,0)], (3"s,
        "input_op_ids = [(1,0)](2,0)"s, "with \x01 inside, seq = 5"s, "nul \0 inside, seq = 5"s,
        "input_op_ids = [(0,-1)(00,1)(01,1)"s, ", seq = , op_id = ,"s, "\xff\xfe, seq = 9\xff"s}) {
    const SplitText split = split_text(text);
    EXPECT_EQ(join_text(split.text, split.numbers), text);
  }
}

TEST(TextTemplateTest, DamagedNumbersDoNotCrash) {
  const SplitText split = split_text("a, seq = 300, op_id = 4");
  EXPECT_EQ(join_text(split.text, split.numbers.substr(0, 2)), "a, seq = 300, op_id = ?");
  EXPECT_EQ(join_text(split.text, "\x80"), "a, seq = ?, op_id = ?");
}

TEST(TextTemplateTest, ARealStepHasFewTemplates) {
  GzLines lines(PROF_SOURCE_DIR "/tests/unit/source/torch_range_texts.txt.gz");
  std::set<std::string> texts, templates;
  std::size_t count = 0;
  for (std::string_view line; lines.next(line); ++count) {
    const SplitText split = split_text(line);
    EXPECT_EQ(join_text(split.text, split.numbers), line);
    texts.emplace(line);
    templates.insert(split.text);
  }
  EXPECT_EQ(lines.problem(), "");
  // One BERT training step of torch 2.11 under emit_nvtx(record_shapes=True).
  EXPECT_EQ(count, 2282u);
  EXPECT_EQ(texts.size(), 2282u);
  EXPECT_EQ(templates.size(), 526u);
}

}  // namespace
}  // namespace prof
