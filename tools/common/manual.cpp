// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/common/manual.hpp"

#include <algorithm>
#include <utility>

namespace prof::tools {

ManualSection see_also(std::string pages) {
  return {
      "SEE ALSO",
      {{std::move(pages), ""},
       {"The pages of docs/ are installed in share/doc/prof, beside the folder of the programs.",
        ""}}};
}

std::string on_one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Values Values::file(std::string glob) { return {.kind = Kind::kFile, .glob = std::move(glob)}; }

Values Values::one_of(std::vector<Word> words) {
  return {.kind = Kind::kWords, .words = std::move(words)};
}

Values Values::list_of(std::vector<Word> words) {
  return {.kind = Kind::kWords, .is_list = true, .words = std::move(words)};
}

}  // namespace prof::tools
