// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/manual/forms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace prof::manuals {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Every character that means something to man or a shell.
tools::Manual odd_manual() {
  return {.program = "prof-odd",
          .brief = "Does it.",
          .arguments = "[OPTIONS] file",
          .argument = tools::Values::file("*"),
          .options = {{.flags = {"--what"},
                       .type = "[A:]B",
                       .help = R"('it's a \ in [x]: $HOME)",
                       .values = tools::Values::one_of({{"one", "it's [1]"}})}},
          .sections = {{"NOTES", {{".begins with a dot", ""}}}}};
}

TEST(ManPage, TextIsNoRequest) {
  const std::string page = man_page(odd_manual());
  EXPECT_THAT(page, HasSubstr("\n\\&.begins with a dot\n"));
  EXPECT_THAT(page, HasSubstr("\n\\&'it's a \\e in [x]: $HOME.\n"));
  EXPECT_THAT(page, HasSubstr("prof\\-odd \\- does it\n"));
}

TEST(ManPage, LongTextIsBrokenAtBlanks) {
  tools::Manual manual = odd_manual();
  manual.options[0].help.clear();
  for (int i = 0; i < 30; ++i) manual.options[0].help += "words ";
  manual.options[0].help += ".hidden";
  const std::string page = man_page(manual);
  EXPECT_THAT(page, Not(HasSubstr("\n.hidden")));
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = page.find('\n', begin);
    EXPECT_LE(end == std::string::npos ? 0 : end - begin, 81U);
  }
}

TEST(Markdown, TextIsNoCellAndNoTag) {
  tools::Manual manual = odd_manual();
  manual.options[0].help = "a|b of <word>";
  manual.options[0].is_repeatable = true;
  EXPECT_THAT(markdown_section(manual),
              HasSubstr("\n| `--what [A:]B` | a\\|b of \\<word>; may be repeated |\n"));
}

TEST(Completion, TextsAreQuoted) {
  EXPECT_THAT(zsh_completion(odd_manual()),
              HasSubstr(R"(--what='['\''it'\''s a \\ in \[x\]: $HOME]:[A\:]B:_prof_odd_what')"));
  EXPECT_THAT(zsh_completion(odd_manual()), HasSubstr(R"('one[it'\''s \[1\]]')"));
  EXPECT_THAT(fish_completion(odd_manual()), HasSubstr(R"(-d '\'it\'s a \\ in [x]: $HOME')"));
  EXPECT_THAT(bash_completion(odd_manual()), HasSubstr("--what) _prof_odd_one 'one'; return ;;"));
}

}  // namespace
}  // namespace prof::manuals
