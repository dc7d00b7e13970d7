// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// See options.hpp.
#include "dlrm/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "dlrm/check.hpp"

namespace ref {
namespace {

// Parses into `options`, whose config holds the defaults.
void declare(CLI::App& app, Options& options, bool& check, bool& list) {
  DlrmConfig& c = options.config;
  app.add_option("--batch", c.batch, "samples in a batch")->capture_default_str();
  app.add_option("--embeddings", c.embeddings, "number of embedding tables")->capture_default_str();
  app.add_option("--embedding-rows", c.embedding_rows,
                 "rows of the first table; each further one has 100 more")
      ->capture_default_str();
  app.add_option("--dim", c.dim, "elements of an embedding")->capture_default_str();
  app.add_option("--bottom", c.bottom, "widths of the bottom MLP, for example 512,256,128")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--top", c.top, "widths of the top MLP, for example 1024,512,1")
      ->delimiter(',')
      ->capture_default_str();
  app.add_option("--seed", c.seed, "seed of all random numbers")->capture_default_str();
  app.add_option("--lr", c.learning_rate, "learning rate")->capture_default_str();
  app.add_option("--loss-scale", c.loss_scale, "initial loss scale")->capture_default_str();
  app.add_option("--warmup", options.warmup, "steps before the counted ones, without a step range")
      ->capture_default_str();
  app.add_option("--steps", options.steps, "counted steps, each in a range step:N")
      ->capture_default_str();
  app.add_flag("--check", check,
               "compare loss and gradients with a CPU reference, by default at a small size");
  app.add_option("--drop-gradient", options.drop_gradient,
                 "with --check: leave out this term of the gradients");
  app.add_flag("--list-gradient-terms", list, "print the names that --drop-gradient takes");
}

std::string find_mistake(const Options& options, bool check) {
  if (options.warmup < 0) return "--warmup must be 0 or more";
  if (options.steps < 0 || options.steps + options.warmup < 1) return "nothing to do: --steps 0";
  if (!options.drop_gradient.empty()) {
    if (!check) return "--drop-gradient needs --check";
    const auto terms = gradient_term_names(options.config);
    if (std::find(terms.begin(), terms.end(), options.drop_gradient) == terms.end()) {
      return "unknown gradient term '" + options.drop_gradient + "'; --list-gradient-terms has all";
    }
  }
  return find_mistake(options.config);
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv, int* exit_code) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto asks_for = [&](const char* flag) {
    return std::find(words.begin(), words.end(), flag) != words.end();
  };
  Options options;
  // A check is small unless its sizes are given.
  if (asks_for("--check") || asks_for("--list-gradient-terms")) options.config = check_config();
  bool check = false;
  bool list = false;
  CLI::App app("A DLRM training step: 26 embeddings, two MLPs, pairwise interaction.", "ref-dlrm");
  declare(app, options, check, list);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    *exit_code = 0;
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "ref-dlrm: %s (--help lists the options)\n", error.what());
    *exit_code = 2;
    return std::nullopt;
  }
  if (const std::string mistake = find_mistake(options, check); !mistake.empty()) {
    std::fprintf(stderr, "ref-dlrm: %s\n", mistake.c_str());
    *exit_code = 2;
    return std::nullopt;
  }
  if (check) options.action = Options::Action::check;
  if (list) options.action = Options::Action::list_gradient_terms;
  return options;
}

}  // namespace ref
