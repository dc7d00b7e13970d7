// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-fleet dashboard: the questions as a dashboard of Grafana, for its ClickHouse data source
// (grafana-clickhouse-datasource). Jobs, and the runs of `regress`, are variables of it.
#pragma once

#include <string>
#include <string_view>

namespace prof::fleet {

/// JSON, as Grafana imports it.
std::string dashboard(std::string_view database);

}  // namespace prof::fleet
