// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "analyzers/timeline/idle_cause.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "libprof/base/ascii.hpp"

namespace prof {
namespace {

constexpr IdleCauseText kIdleCauses[] = {
    {"turnaround", "the next work was already queued: the GPU's time between two kernels",
     "its launch ended before the GPU became idle"},
    {"stream", "the next work was queued, but waited for another stream",
     "likewise, and the work before ran on another stream"},
    {"launch", "the host had not launched the next work yet",
     "the thread was in the launching call or in an op; without ops, 50 us or less from its last "
     "call or range"},
    {"python", "Python ran between two ops",
     "a Python program's thread was in no op and in no call; for 0.2 ms and longer only if it was "
     "in the call of a module or an optimizer"},
    {"synchronize", "the host waited for the GPU, then had to launch again",
     "the thread was in a call that waits, when or after the GPU ran dry; up to its next launch"},
    {"copy", "the host was copying or setting memory", "the thread was in such a call"},
    {"allocate", "the host was allocating or freeing memory", "the thread was in such a call"},
    {"graph", "the host was creating or launching a CUDA graph", "the thread was in such a call"},
    {"load", "CUDA was loading a kernel at its first use",
     "the thread was in such a call (prof-run --api all)"},
    {"compile", "a kernel was being compiled, tuned or loaded",
     "the thread was in a range of a compiler, in a call that loads or links a module, or for 0.2 "
     "ms and longer on its way to one"},
    {"data", "the next batch was not ready", "the thread was in a data loader's range"},
    {"system", "the host was blocked in a system call",
     "the thread was in such a call for 20 us or longer (prof-run --trace osrt)"},
    {"host", "the host was busy with something that the trace does not show",
     "no call and no range for 0.2 ms or longer; without ops, for more than 50 us"},
    {"unknown", "the launch of the next work is not recorded", "none"},
};
static_assert(std::size(kIdleCauses) == static_cast<std::size_t>(IdleCause::kUnknown) + 1);

struct CallWord {
  std::string_view part;
  IdleCause cause;
};
/// Parts of functions' names and their causes; the first that applies counts.
constexpr CallWord kCallWords[] = {
    {"Graph", IdleCause::kGraph},
    {"Synchronize", IdleCause::kSynchronize},
    {"Malloc", IdleCause::kAllocate},
    {"Free", IdleCause::kAllocate},
    {"HostAlloc", IdleCause::kAllocate},
    {"HostRegister", IdleCause::kAllocate},
    {"HostUnregister", IdleCause::kAllocate},
    {"MemAlloc", IdleCause::kAllocate},
    {"MemCreate", IdleCause::kAllocate},
    {"MemMap", IdleCause::kAllocate},
    {"MemUnmap", IdleCause::kAllocate},
    {"MemRelease", IdleCause::kAllocate},
    {"MemSetAccess", IdleCause::kAllocate},
    {"MemPool", IdleCause::kAllocate},
    {"Memcpy", IdleCause::kCopy},
    {"Memset", IdleCause::kCopy},
    {"ModuleLoad", IdleCause::kCompile},
    {"LibraryLoad", IdleCause::kCompile},
    {"LinkAdd", IdleCause::kCompile},
    {"LinkComplete", IdleCause::kCompile},
    {"Module", IdleCause::kLoad},
    {"Library", IdleCause::kLoad},
    {"FuncGetAttributes", IdleCause::kLoad},
    {"KernelGetFunction", IdleCause::kLoad},
};

/// Parts of the texts of ranges, in small letters. PyTorch's compiler marks all its work with
/// dynamo_timed, XLA with "XlaCompile:#module=jit_f#"; ranges that run compiled code
/// ("Torch-Compiled Region") compile nothing.
constexpr std::string_view kCompileWords[] = {"dynamo_timed", "xlacompile",  "autotun",
                                              "nvrtc",        "jit_compile", "jit compile"};
/// PyTorch's, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", and what programs and
/// trainers call theirs.
constexpr std::string_view kDataWords[] = {
    "dataloader", "data_loader", "data loader", "dataloading",    "data_loading", "data loading",
    "load_data",  "load data",   "load_batch",  "load batch",     "next_batch",   "next batch",
    "get_batch",  "get batch",   "fetch_batch", "batch-generator"};
/// Texts that say nothing else.
constexpr std::string_view kCompileTexts[] = {"compile", "compilation", "compiling"};
constexpr std::string_view kDataTexts[] = {"data", "dataload", "data load"};

}  // namespace

std::span<const IdleCauseText> idle_cause_texts() { return kIdleCauses; }

std::string_view name(IdleCause cause) { return kIdleCauses[static_cast<std::size_t>(cause)].word; }

IdleCause cause_of_call(std::string_view function) {
  const auto* const found = std::ranges::find_if(
      kCallWords, [&](const CallWord& word) { return function.find(word.part) != function.npos; });
  return found == std::end(kCallWords) ? IdleCause::kUnknown : found->cause;
}

std::optional<IdleCause> cause_of_range(std::string_view text) {
  const std::string small = lower(text);
  const auto is_in = [&](std::string_view word) { return small.find(word) != small.npos; };
  const auto is_all = [&](std::string_view word) { return small == word; };
  if (std::ranges::any_of(kCompileWords, is_in) || std::ranges::any_of(kCompileTexts, is_all)) {
    return IdleCause::kCompile;
  }
  if (std::ranges::any_of(kDataWords, is_in) || std::ranges::any_of(kDataTexts, is_all)) {
    return IdleCause::kData;
  }
  return std::nullopt;
}

}  // namespace prof
