#!/usr/bin/env bash
# Downloads an emulator with the Pi's SPI (QEMU 10; Debian 12 has 7.2, without it) into a
# folder, with the compiler that tools/gpio_sim.sh needs. Once.
#
#   sudo tools/qemu.sh FOLDER
set -euo pipefail

FOLDER=${1:?a folder}
[ ! -e "$FOLDER/usr/bin/qemu-system-aarch64" ] || exit 0
rm -rf "$FOLDER"
mmdebstrap --variant=minbase --aptopt='APT::Install-Recommends "false"' \
    --include=qemu-system-arm,gcc-aarch64-linux-gnu,libc6-dev-arm64-cross,make,xz-utils,pahole \
    trixie "$FOLDER" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
