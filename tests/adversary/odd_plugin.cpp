// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// A library that annotates with texts in its own memory, unloaded while its range is open.
#include <nvtx3/nvToolsExt.h>

extern "C" __attribute__((visibility("default"))) void annotate() {
  static const char kText[] = "text of a library that is gone";
  nvtxDomainHandle_t domain = nvtxDomainCreateA("domain of a library that is gone");
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, kText);
  nvtxDomainRangePushEx(domain, &event);
  nvtxRangePushA(kText);
  nvtxMarkA(kText);
  nvtxRangePop();
}
