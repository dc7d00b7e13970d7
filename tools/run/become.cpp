// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/run/become.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace prof::tools {
namespace {

constexpr std::array kOwnSignals = {SIGPIPE, SIGXFSZ};

}  // namespace

OwnSignals::OwnSignals() {
  static_assert(kOwnSignals.size() == kSignals);
  for (std::size_t i = 0; i < inherited_.size(); ++i)
    sigaction(kOwnSignals[i], nullptr, &inherited_[i]);
  take_again();
}

void OwnSignals::take_again() const {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  for (int signal : kOwnSignals) sigaction(signal, &ignore, nullptr);
}

void OwnSignals::give_back() const {
  for (std::size_t i = 0; i < inherited_.size(); ++i)
    sigaction(kOwnSignals[i], &inherited_[i], nullptr);
}

int become_program(const std::vector<std::string>& command, const Variables& variables,
                   const OwnSignals& signals) {
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  signals.give_back();
  execvp(arguments[0], arguments.data());
  const int error = errno;
  signals.take_again();
  return error;
}

}  // namespace prof::tools
