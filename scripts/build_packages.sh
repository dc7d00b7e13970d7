#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Makes what is given to users, in dist/: a wheel, Debian packages, an RPM and an archive. Run it on
# Debian 12: what it builds then runs on any system with glibc 2.34 or newer, which it checks.
#
# usage: build_packages.sh [wheel] [deb] [rpm] [tar]     default: all whose tools are there
#   BUILD=build-packages   where it builds; OUTPUT=dist
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build-packages}
output=${OUTPUT:-dist}
formats=("$@")
[ ${#formats[@]} -gt 0 ] || formats=(wheel deb rpm tar)
mkdir -p "$output"

# They differ in where libraries are; little is compiled again for it.
configure_and_build() {
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPROF_BUILD_TESTS=OFF \
    -DPROF_BUILD_BENCHMARKS=OFF -DPROF_BUILD_REFERENCE_MODELS=OFF \
    -DCMAKE_INSTALL_LIBDIR="$1" >/dev/null
  cmake --build "$build"
  python3 -B scripts/check_floor.py "$build"/bin/prof-{run,report,import,fleet} "$build"/lib
}

make_package() {
  rm -rf "$build/packages"
  (cd "$build" && cpack -G "$1") >/dev/null
  find "$build/packages" -maxdepth 1 -type f -exec mv -v -t "$output" {} +
}

for format in "${formats[@]}"; do
  case $format in
    wheel)
      configure_and_build lib
      python3 -B scripts/build_wheel.py "$build" "$output"
      ;;
    deb)
      if ! command -v dpkg-architecture dpkg-shlibdeps >/dev/null; then
        echo "build_packages: no .deb: dpkg-dev is missing (apt-get install dpkg-dev)" >&2
        continue
      fi
      configure_and_build "lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
      make_package DEB
      ;;
    rpm)
      if ! command -v rpmbuild >/dev/null; then
        echo "build_packages: no .rpm: rpmbuild is missing (Debian: apt-get install rpm)" >&2
        continue
      fi
      configure_and_build lib64
      make_package RPM
      ;;
    tar)
      configure_and_build lib
      make_package TGZ
      ;;
    *)
      echo "build_packages: $format: not understood; wheel, deb, rpm or tar expected" >&2
      exit 2
      ;;
  esac
done
