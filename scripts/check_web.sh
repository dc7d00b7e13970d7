#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Checks the page (tools/web): types and lint, unit tests, that built/ is what the sources build,
# and tests in a browser.
#
# usage: check_web.sh [--fix] [PROF_REPORT]   --fix writes built/ anew; with a prof-report, cells
#                                             are compared with what it prints, too
set -euo pipefail
cd "$(dirname "$0")/../tools/web"
fix=
if [ "${1:-}" = --fix ]; then
  fix=yes
  shift
fi
if [ -n "${1:-}" ]; then
  PROF_REPORT=$(cd "$OLDPWD" && realpath "$1")
  export PROF_REPORT
fi
# What is installed is what the lock file says: npm copies it there.
if ! cmp -s package-lock.json node_modules/.check_web.lock; then
  npm ci --no-audit --no-fund --ignore-scripts --loglevel=error
  cp package-lock.json node_modules/.check_web.lock
fi
npm run --silent lint
npm test --silent
made=$(mktemp)
trap 'rm -f "$made"' EXIT
node build.mjs "$made" >/dev/null
if [ -n "$fix" ]; then
  cp "$made" built/page.html
elif ! cmp -s "$made" built/page.html; then
  echo "check_web: built/page.html is not what the sources build; run scripts/check_web.sh --fix" >&2
  exit 1
fi
if [ -n "${PROF_REPORT:-}" ]; then
  npm run --silent test:reports
fi
npm run --silent test:browser
echo "web: clean"
