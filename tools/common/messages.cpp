// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages to the user on stderr, see messages.hpp.
#include "tools/common/messages.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include "tools/common/output.hpp"
#include "tools/common/unicode.hpp"

namespace prof::tools {

void print_error(std::FILE* stream, std::string_view program, std::string_view line) {
  std::string text(program);
  text += ": ";
  append_printable(line, text);
  text += '\n';
  std::fwrite(text.data(), 1, text.size(), stream);
}

int exit_code(int error, std::FILE* stream, std::string_view program) {
  if (error == 0 || error == EPIPE) return kDone;
  print_error(stream, program, std::string("cannot write the output: ") + std::strerror(error));
  return kFailed;
}

int print_answer(std::string_view text, std::string_view program) {
  Output output(stdout);
  output.write(text);
  output.flush();
  return exit_code(output.error(), stderr, program);
}

}  // namespace prof::tools
