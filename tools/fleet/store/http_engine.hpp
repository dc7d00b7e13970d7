// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// ClickHouse on a server, by its HTTP interface. What fails on the way is tried again, with growing
// pauses; what the server refuses is not.
#pragma once

#include <memory>
#include <string>

#include "libprof/base/result.hpp"
#include "tools/fleet/store/engine.hpp"

namespace prof::fleet {

struct Server {
  std::string url;  ///< "https://host:8443", without user and password.
  std::string user = {}, password = {};
  std::string authority = {};  ///< A file of certificates; empty: the system's.
};

/// User and password are those of the URL's words, PROF_FLEET_USER and PROF_FLEET_PASSWORD, or the
/// file PROF_FLEET_CREDENTIALS ("USER:PASSWORD", readable by its owner alone).
Result<Server> server_of(const std::string& url);

/// Asks the server whether it is there.
Result<std::unique_ptr<Engine>> open_server(Server server);

}  // namespace prof::fleet
