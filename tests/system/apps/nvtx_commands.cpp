// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// Script commands that call NVTX. A text of "x*N" is N letters x.
// clang-format off
//   push TEXT [DOMAIN]             pop [DOMAIN]
//   push_registered TEXT DOMAIN    push_wide TEXT    push_payload TEXT NUMBER
//   mark TEXT                      start NAME TEXT   end NAME    (start and end: a range of the process)
//   name_thread TEXT               category NUMBER TEXT
// clang-format on
#include <nvtx3/nvToolsExt.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>

#include "runner.hpp"

namespace {

std::mutex mutex;
std::map<std::string, nvtxDomainHandle_t>& domains() {
  static auto* map = new std::map<std::string, nvtxDomainHandle_t>;
  return *map;
}
std::map<std::string, nvtxRangeId_t>& ranges() {
  static auto* map = new std::map<std::string, nvtxRangeId_t>;
  return *map;
}

nvtxDomainHandle_t domain(const std::string& name) {
  const std::lock_guard lock(mutex);
  nvtxDomainHandle_t& handle = domains()[name];
  if (handle == nullptr) handle = nvtxDomainCreateA(name.c_str());
  return handle;
}

std::string text_word(const Statement& statement, std::size_t index) {
  const std::string& word = statement.words.at(index);
  if (word.starts_with("x*")) return std::string(std::stoul(word.substr(2)), 'x');
  return word;
}

nvtxEventAttributes_t attributes() {
  nvtxEventAttributes_t result{};
  result.version = NVTX_VERSION;
  result.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  result.messageType = NVTX_MESSAGE_TYPE_ASCII;
  return result;
}

void push(Runner&, const Statement& statement) {
  const std::string text = text_word(statement, 1);
  if (statement.words.size() == 2) {
    nvtxRangePushA(text.c_str());
    return;
  }
  nvtxEventAttributes_t event = attributes();
  event.message.ascii = text.c_str();
  nvtxDomainRangePushEx(domain(statement.words[2]), &event);
}

void push_registered(Runner&, const Statement& statement) {
  const nvtxDomainHandle_t handle = domain(statement.words.at(2));
  nvtxEventAttributes_t event = attributes();
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(handle, text_word(statement, 1).c_str());
  nvtxDomainRangePushEx(handle, &event);
}

void push_wide(Runner&, const Statement& statement) {
  const std::string text = text_word(statement, 1);
  nvtxRangePushW(std::wstring(text.begin(), text.end()).append(L" \u00e9\u20ac").c_str());
}

void push_payload(Runner&, const Statement& statement) {
  const std::string text = text_word(statement, 1);
  nvtxEventAttributes_t event = attributes();
  event.message.ascii = text.c_str();
  event.category = 3;
  event.colorType = NVTX_COLOR_ARGB;
  event.color = 0xff00ff00U;
  event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  event.payload.llValue = std::stoll(statement.words.at(2));
  nvtxRangePushEx(&event);
}

void pop(Runner&, const Statement& statement) {
  if (statement.words.size() == 1) {
    nvtxRangePop();
  } else {
    nvtxDomainRangePop(domain(statement.words[1]));
  }
}

void mark(Runner&, const Statement& statement) { nvtxMarkA(text_word(statement, 1).c_str()); }

void start(Runner&, const Statement& statement) {
  const nvtxRangeId_t id = nvtxRangeStartA(text_word(statement, 2).c_str());
  const std::lock_guard lock(mutex);
  ranges()[statement.words[1]] = id;
}

void end(Runner&, const Statement& statement) {
  const std::lock_guard lock(mutex);
  nvtxRangeEnd(ranges()[statement.words.at(1)]);
}

void name_thread(Runner&, const Statement& statement) {
  nvtxNameOsThreadA(static_cast<std::uint32_t>(syscall(SYS_gettid)), statement.words.at(1).c_str());
}

void category(Runner&, const Statement& statement) {
  nvtxNameCategoryA(static_cast<std::uint32_t>(count_word(statement, 1, 1)),
                    statement.words.at(2).c_str());
}

}  // namespace

void add_nvtx_commands(CommandTable& table) {
  table["push"] = push;
  table["push_registered"] = push_registered;
  table["push_wide"] = push_wide;
  table["push_payload"] = push_payload;
  table["pop"] = pop;
  table["mark"] = mark;
  table["start"] = start;
  table["end"] = end;
  table["name_thread"] = name_thread;
  table["category"] = category;
}
