// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Facts about process and machine, see process_facts.hpp.
#include "collectors/inject/process_facts.hpp"

#include <limits.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "libprof/base/shell_word.hpp"
#include "libprof/model/job.hpp"

namespace prof::collectors {
namespace {

/// Variables that affect how CUDA runs a program and reveal nothing else about the user. Recorded
/// with the variables of distributed jobs (kJobVariables).
constexpr const char* kVariables[] = {
    "CUDA_VISIBLE_DEVICES",
    "CUDA_DEVICE_ORDER",
    "CUDA_DEVICE_MAX_CONNECTIONS",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_MODULE_LOADING",
    "CUDA_FORCE_PTX_JIT",
    "CUBLAS_WORKSPACE_CONFIG",
    "NVIDIA_TF32_OVERRIDE",
    "PYTORCH_CUDA_ALLOC_CONF",
    "TORCH_CUDNN_V8_API_LRU_CACHE_LIMIT",
    "OMP_NUM_THREADS",
    "LD_PRELOAD",
};

std::string link_target(const char* link) {
  std::string target(PATH_MAX, '\0');
  const ssize_t bytes = readlink(link, target.data(), target.size());
  target.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return target;
}

std::string file_text(const char* path) {
  std::string text;
  std::FILE* file = std::fopen(path, "re");
  if (file == nullptr) return text;
  char block[4096];
  while (const std::size_t bytes = std::fread(block, 1, sizeof block, file))
    text.append(block, bytes);
  std::fclose(file);
  return text;
}

std::string first_line(const char* path) {
  const std::string text = file_text(path);
  return text.substr(0, text.find('\n'));
}

std::vector<std::string> arguments() {
  const std::string all = file_text("/proc/self/cmdline");
  std::vector<std::string> list;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    list.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

std::string os_name() {
  const std::string text = "\n" + file_text("/etc/os-release");
  constexpr std::string_view kKey = "\nPRETTY_NAME=";
  const std::size_t key = text.find(kKey);
  if (key == std::string::npos) return {};
  const std::size_t start = key + kKey.size();
  std::string name = text.substr(start, text.find('\n', start) - start);
  if (name.size() >= 2 && name.front() == '"' && name.back() == '"')
    name = name.substr(1, name.size() - 2);
  return name;
}

void add_variable(const char* name, Facts& facts) {
  if (const char* const value = std::getenv(name)) {
    facts.emplace_back(std::string("env.") + name, value);
  }
}

}  // namespace

std::string host_name() {
  utsname names{};
  return uname(&names) == 0 ? names.nodename : "unknown";
}

std::string shell_join(const std::vector<std::string>& list) {
  std::string joined;
  for (const std::string& argument : list) {
    if (!joined.empty()) joined += ' ';
    joined += shell_word(argument);
  }
  return joined;
}

Facts process_facts() {
  utsname names{};
  uname(&names);
  Facts facts = {
      {"executable", link_target("/proc/self/exe")},
      {"command_line", shell_join(arguments())},
      {"pid", std::to_string(getpid())},
      {"working_directory", link_target("/proc/self/cwd")},
      {"host", names.nodename},
      {"boot_id", first_line("/proc/sys/kernel/random/boot_id")},
      {"os", os_name()},
      {"kernel", std::string(names.sysname) + " " + names.release + " " + names.machine},
  };
  for (const char* variable : kVariables) add_variable(variable, facts);
  for (const JobVariable& variable : kJobVariables) add_variable(variable.name, facts);
  return facts;
}

}  // namespace prof::collectors
