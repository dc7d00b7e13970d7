#!/usr/bin/env bash
# SPDX-FileCopyrightText: The libprof authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs the packages of scripts/build_packages.sh where nothing else is: in a fresh Debian or
# Ubuntu made by debootstrap, first the .deb files with apt, then the wheel with pip, and reads a
# trace with each. By hand, as root; takes minutes and a mirror.
#
# usage: bare_machine.sh FOLDER [RELEASE [MIRROR]]     FOLDER: of the packages; RELEASE: bookworm
#        bare_machine.sh dist jammy http://archive.ubuntu.com/ubuntu   (with ubuntu-archive-keyring)
#   ROOT=/var/tmp/prof-RELEASE   is made if it is not there, and stays for the next time
set -euo pipefail
packages=$(realpath "$1")
release=${2:-bookworm}
mirror=${3:-http://deb.debian.org/debian}
root=${ROOT:-/var/tmp/prof-$release}
source=$(realpath "$(dirname "$0")/../..")

if [ ! -e "$root/etc/debian_version" ]; then
  components=main
  case $mirror in *ubuntu*) components=main,universe ;; esac
  debootstrap --variant=minbase --components=$components "$release" "$root" "$mirror" >/dev/null
fi
inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
  DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
  quietly="-y -qq --no-install-recommends -o Dpkg::Use-Pty=0" sh -euc "$1"; }

rm -rf "$root/prof"
mkdir "$root/prof"
cp "$packages"/*.deb "$packages"/*.whl "$source/tests/data/bert_small.jsonl.gz" "$root/prof"
cat >"$root/prof/script.py" <<'END'
import sys
print("script", sys.argv[1:])
END
# Programs look at themselves, and at what they start.
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT

inside 'echo "== $(. /etc/os-release; echo "$PRETTY_NAME"), $(ldd --version | head -n 1)"
  apt-get update -qq'

# Reads, and runs up to where a driver is missing, which costs the program nothing.
use='cd /prof; rm -f ./*.db
  prof-report --version
  prof-import -o trace.db bert_small.jsonl.gz
  prof-report -r layers --top 3 trace.db
  "$python" -c "import prof_trace; print(prof_trace.open(\"trace.db\").kernels(\"op\", top=1))"
  prof-run -o run.db -- "$python" -m prof_torch script.py argument'

echo "== .deb"
inside 'apt-get install $quietly /prof/*.deb >/dev/null
  dpkg -l prof libprof1 libprof-dev python3-prof | grep ^ii'
inside "python=python3; $use"
inside 'apt-get purge $quietly prof libprof1 libprof-dev python3-prof >/dev/null
  left=$(find /usr /etc -name "*prof_*" -o -name "libprof*" -o -name "prof-*" | grep -v "^/usr/share/gcc" || true)
  if [ -n "$left" ]; then echo "left behind: $left"; exit 1; fi'

echo "== wheel"
inside 'apt-get install $quietly python3-venv >/dev/null
  rm -rf /prof/venv
  python3 -m venv /prof/venv
  /prof/venv/bin/pip install -q --no-index /prof/*.whl'
inside "PATH=/prof/venv/bin:\$PATH; python=/prof/venv/bin/python; $use"
echo "== done"
