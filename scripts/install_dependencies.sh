#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs missing packages needed to build and test (Debian and Ubuntu). Prints what it installs;
# does nothing if nothing is missing. Does not install a CUDA toolkit: Debian has none.
#
# usage: install_dependencies.sh [--ci | --fleet | --web]
#   --fleet adds the engines of prof-fleet; --ci these, and packages needed only for checks; --web
#   those for the page (tools/web)
set -euo pipefail

packages=(g++ cmake make ninja-build pkg-config python3 python3-venv gzip
  libsqlite3-dev zlib1g-dev libfmt-dev nlohmann-json3-dev libcli11-dev libutf8proc-dev
  libgtest-dev libgmock-dev libbenchmark-dev libcurl4-openssl-dev libxxhash-dev
  libprotozero-dev)
fleet=(clickhouse-server openssl)
case ${1:-} in
  --ci) packages+=(git black clang-format clang-tidy groff-base zsh fish python3-yaml "${fleet[@]}") ;;
  --fleet) packages+=("${fleet[@]}") ;;
  --web) packages+=(chromium) ;;
esac
if [ -n "${1:-}" ]; then
  # A node of its makers brings npm along, and does not go with Debian's.
  command -v npm >/dev/null || packages+=(nodejs npm)
fi

missing=()
for package in "${packages[@]}"; do
  if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed'; then
    missing+=("$package")
  fi
done
chdb=@chdb/lib-linux-x64-gnu
chdb_version=26.5.3
has_chdb() { command -v npm >/dev/null && [ -e "$(npm root -g)/$chdb/libchdb.so" ]; }

as_root=()
become_root() {
  if [ "$(id -u)" -eq 0 ]; then return; fi
  if ! command -v sudo >/dev/null; then
    echo "install_dependencies: needs root to install: $*; run as root: apt-get install $*" >&2
    exit 1
  fi
  as_root=(sudo)
}
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "install_dependencies: this system has no apt-get; please install the equivalents of: ${missing[*]}" >&2
    exit 1
  fi
  become_root "${missing[@]}"
  echo "installing: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
# The engine of prof-fleet's stores that are folders.
if [[ ${1:-} = --ci || ${1:-} = --fleet ]] && ! has_chdb; then
  become_root "$chdb"
  echo "installing: $chdb"
  "${as_root[@]}" npm install -g --no-audit --no-fund --loglevel=error "$chdb@$chdb_version" >/dev/null
fi
