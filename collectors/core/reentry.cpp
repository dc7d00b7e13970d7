// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collectors/core/reentry.hpp"

#include "collectors/core/global.hpp"
#include "collectors/core/range_events.hpp"
#include "collectors/core/thread_state.hpp"

namespace prof::collectors {

__thread Inside t_inside __attribute__((tls_model("initial-exec"))) = {false, false, 0};

void settle_refused() noexcept {
  while (t_inside.owing) {
    t_inside.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    t_inside.owing = false;
    const std::uint32_t epoch = recording_epoch();
    ThreadState* thread = t_thread_state;
    if (thread != nullptr && !is_dead(epoch)) {
      thread->refused.settle([&](DomainId domain, std::int32_t open) {
        if (open > 0) thread->stack.push_unkept(domain, static_cast<std::uint32_t>(open));
        for (; open < 0; ++open) pop_range(*thread, epoch, domain);
      });
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    t_inside.busy = false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

void refuse_event() noexcept { global().losses.add(Loss::kInSignalHandler); }

void refuse_call_begin(bool count_nested, Loss why) noexcept {
  if (t_inside.refused_calls++ == 0 || count_nested) global().losses.add(why);
}

void refuse_call_end() noexcept {
  if (t_inside.refused_calls != 0) --t_inside.refused_calls;
}

void refuse_push(DomainId domain) noexcept {
  refuse_event();
  // Without a state the thread is at its very first event: its pop comes from the same handler.
  if (t_thread_state == nullptr) return;
  t_thread_state->refused.push(domain);
  t_inside.owing = true;
}

void refuse_pop(DomainId domain) noexcept {
  if (t_thread_state == nullptr) return;
  if (!t_thread_state->refused.pop(domain)) refuse_event();
  t_inside.owing = true;
}

}  // namespace prof::collectors
