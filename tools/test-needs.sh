#!/usr/bin/env bash
# Installs the programs that the tests use besides Python's packages, where that is possible:
# on Debian, as root. Elsewhere it says what is missing; the tests that need it are skipped with
# the reason.
set -euo pipefail

needed=()
command -v chromium >/dev/null || needed+=(chromium)
command -v redis-server >/dev/null || needed+=(redis-server)
command -v shellcheck >/dev/null || needed+=(shellcheck)
command -v systemd-analyze >/dev/null || needed+=(systemd)
command -v openssl >/dev/null || needed+=(openssl)
command -v mke2fs >/dev/null || needed+=(e2fsprogs)
command -v sfdisk >/dev/null || needed+=(fdisk)
command -v mkfs.vfat >/dev/null || needed+=(dosfstools)
command -v mcopy >/dev/null || needed+=(mtools)
command -v xz >/dev/null || needed+=(xz-utils)
[ -e /usr/share/fonts/truetype/dejavu ] || needed+=(fonts-dejavu-core)
[ -e /usr/share/alsa/alsa.conf ] || needed+=(libasound2-data)
[ "${#needed[@]}" -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Not installed, and some tests will be skipped for it: ${needed[*]}"
    exit 0
fi
echo "Installing ${needed[*]} …"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}" >/dev/null
