#!/usr/bin/env bash
# Makes a Debian for 64-bit ARM in which libraries can be built, by emulation, once.
#
#   sudo tools/arm64_root.sh bookworm|trixie FOLDER
#
# It needs mmdebstrap, qemu-user-static and binfmt-support, and some minutes.
set -euo pipefail

SUITE=${1:?bookworm or trixie} FOLDER=${2:?a folder}
[ ! -e "$FOLDER/usr/bin/python3" ] || exit 0
mountpoint -q /proc/sys/fs/binfmt_misc ||
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
update-binfmts --enable qemu-aarch64
rm -rf "$FOLDER"
mmdebstrap --architectures=arm64 --variant=minbase --include=python3-venv,python3-dev,gcc,libc6-dev \
    --aptopt='APT::Install-Recommends "false"' --dpkgopt=force-unsafe-io \
    "$SUITE" "$FOLDER" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
