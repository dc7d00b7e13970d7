// SPDX-FileCopyrightText: The libprof authors
// SPDX-License-Identifier: Apache-2.0
//
// prof-manual PROGRAM FORM: prints a program's manual page (man), its part of docs/options.md
// (markdown) or its completion for a shell (bash, zsh, fish). The build runs it; it is not
// installed.
#include <cstdio>
#include <exception>
#include <iterator>
#include <string>
#include <string_view>

#if PROF_HAVE_FLEET
#include "tools/fleet/options.hpp"
#endif
#include "tools/import/options.hpp"
#include "tools/manual/forms.hpp"
#include "tools/report/all_reports.hpp"
#include "tools/report/options/options.hpp"
#if PROF_HAVE_RUN
#include "tools/run/options.hpp"
#endif

namespace {

using prof::tools::Manual;

Manual report_manual() {
  prof::reports::Registry registry;
  register_reports(registry);
  return prof::reports::manual(registry);
}

constexpr struct {
  std::string_view name;
  Manual (*make)();
} kPrograms[] = {
    {"prof-report", report_manual},
    {"prof-import", prof::importers::manual},
#if PROF_HAVE_FLEET
    {"prof-fleet", prof::fleet::manual},
#endif
#if PROF_HAVE_RUN
    {"prof-run", prof::tools::run_manual},
#endif
};

constexpr struct {
  std::string_view name;
  std::string (*write)(const Manual&);
} kForms[] = {
    {"man", prof::manuals::man_page},         {"markdown", prof::manuals::markdown_section},
    {"bash", prof::manuals::bash_completion}, {"zsh", prof::manuals::zsh_completion},
    {"fish", prof::manuals::fish_completion},
};

}  // namespace

int main(int argc, char** argv) {
  try {
    for (const auto& program : kPrograms) {
      if (argc != 3 || argv[1] != program.name) continue;
      for (const auto& form : kForms) {
        if (argv[2] != form.name) continue;
        std::fputs(form.write(program.make()).c_str(), stdout);
        return std::fflush(stdout) == 0 ? 0 : 1;
      }
    }
    std::fputs("usage: prof-manual PROGRAM man|markdown|bash|zsh|fish\n", stderr);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "prof-manual: %s\n", error.what());
    return 1;
  }
}
