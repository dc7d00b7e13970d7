// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// libcurl, which is loaded when a store is on a server: prof-fleet runs without it otherwise, and
// with that of any distribution, whose versions of its symbols differ. Stays loaded.
#pragma once

#include <curl/curl.h>

#include "libprof/base/result.hpp"

namespace prof::fleet {

/// Its functions, by the names of curl/curl.h without "curl_".
struct CurlLibrary {
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_escape) easy_escape = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_free) free = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
};

Result<CurlLibrary> load_curl();

}  // namespace prof::fleet
