// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/fleet/store/curl_library.hpp"

#include <dlfcn.h>

#include <string>

#include "tools/fleet/store/engine.hpp"

namespace prof::fleet {
namespace {

/// Debian has a second one, with another library for TLS.
constexpr const char* kCurlNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

bool take_all(void* library, CurlLibrary& curl) {
  return find_function(library, "curl_easy_init", curl.easy_init) &&
         find_function(library, "curl_easy_cleanup", curl.easy_cleanup) &&
         find_function(library, "curl_easy_reset", curl.easy_reset) &&
         find_function(library, "curl_easy_setopt", curl.easy_setopt) &&
         find_function(library, "curl_easy_getinfo", curl.easy_getinfo) &&
         find_function(library, "curl_easy_perform", curl.easy_perform) &&
         find_function(library, "curl_easy_escape", curl.easy_escape) &&
         find_function(library, "curl_easy_strerror", curl.easy_strerror) &&
         find_function(library, "curl_free", curl.free) &&
         find_function(library, "curl_slist_append", curl.slist_append) &&
         find_function(library, "curl_slist_free_all", curl.slist_free_all);
}

}  // namespace

Result<CurlLibrary> load_curl() {
  std::string why;
  for (const char* name : kCurlNames) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    CurlLibrary curl;
    if (library != nullptr && take_all(library, curl)) return curl;
    const char* const message = dlerror();
    if (why.empty() && message != nullptr) why = message;
  }
  return Error{"a store on a server needs libcurl, which cannot be loaded (" + why + ")",
               {},
               "install it (Debian, Ubuntu: libcurl4; RHEL: libcurl)"};
}

}  // namespace prof::fleet
