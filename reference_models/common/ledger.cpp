// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See ledger.hpp.
#include "common/ledger.hpp"

#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <utility>

namespace ref {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const LedgerOp& op) {
  ordered_json json;
  json["layer"] = op.layer;
  json["op"] = op.op;
  json["dir"] = op.direction;
  json["part"] = op.part.empty() ? ordered_json(nullptr) : ordered_json(op.part);
  json["inputs"] = op.inputs;
  json["outputs"] = op.outputs;
  if (op.gemm) {
    json["m"] = op.gemm->m;
    json["n"] = op.gemm->n;
    json["k"] = op.gemm->k ? ordered_json(*op.gemm->k) : ordered_json(nullptr);
    json["batch"] = op.gemm->batch;
  }
  if (!op.params.empty()) json["params"] = op.params;
  json["flops"] = op.flops;
  json["bytes"] = op.bytes;
  json["library"] = op.calls_library;
  return json;
}

}  // namespace

void Ledger::note_size(std::string name, std::int64_t value) {
  sizes_.emplace_back(std::move(name), value);
}

std::int64_t Ledger::flops() const {
  return std::accumulate(ops_.begin(), ops_.end(), std::int64_t{0},
                         [](std::int64_t sum, const LedgerOp& op) { return sum + op.flops; });
}

std::int64_t Ledger::bytes() const {
  return std::accumulate(ops_.begin(), ops_.end(), std::int64_t{0},
                         [](std::int64_t sum, const LedgerOp& op) { return sum + op.bytes; });
}

void Ledger::write_json(std::ostream& out) const {
  ordered_json config = ordered_json::object();
  for (const auto& [name, value] : sizes_) config[name] = value;
  out << "{\"model\": " << ordered_json(model_) << ",\n \"config\": " << config
      << ",\n \"flops\": " << flops() << ",\n \"bytes\": " << bytes() << ",\n \"estimate\": "
      << ordered_json{{"formula", estimate_.formula}, {"flops", estimate_.flops}}
      << ",\n \"ops\": [";
  const char* separator = "\n  ";  // an op a line, so that two ledgers can be compared by diff
  for (const LedgerOp& op : ops_) {
    out << separator << to_json(op);
    separator = ",\n  ";
  }
  out << "\n ]}\n";
}

}  // namespace ref
