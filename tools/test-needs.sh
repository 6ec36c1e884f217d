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
command -v espeak-ng >/dev/null || needed+=(espeak-ng)
[ -e /usr/share/fonts/truetype/dejavu ] || needed+=(fonts-dejavu-core)
[ -e /usr/share/alsa/alsa.conf ] || needed+=(libasound2-data)
bin=$(dirname "$0")/../.venv/bin
command -v micropython >/dev/null || [ -x "$bin/micropython" ] || needed+=(micropython)
[ "${#needed[@]}" -gt 0 ] || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Not installed, and some tests will be skipped for it: ${needed[*]}"
    exit 0
fi

# Debian has MicroPython's Unix port from trixie on. Before it, trixie's own is put beside the
# tests, with the loader and the libraries that it was built for; the system is left as it is.
borrow_micropython() {
    local root=$bin/../micropython packages=(micropython libc6 libffi8 libmbedtls21 libmbedcrypto16 libmbedx509-7)
    local libraries loader
    mkdir -p "$root/lists/partial" "$root/archives/partial"
    root=$(cd "$root" && pwd)
    echo "deb http://deb.debian.org/debian trixie main" >"$root/sources.list"
    local borrowed=(
        -o "Dir::Etc::SourceList=$root/sources.list" -o Dir::Etc::SourceParts=-
        -o "Dir::State::Lists=$root/lists" -o "Dir::Cache::Archives=$root/archives"
        -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache="
        -o Acquire::Languages=none -o APT::Sandbox::User=root -qq
        # A machine that cannot reach it goes without, soon.
        -o Acquire::Retries=1 -o Acquire::http::Timeout=20
    )
    apt-get "${borrowed[@]}" update
    (cd "$root/archives" && apt-get "${borrowed[@]}" download "${packages[@]}")
    for package in "$root"/archives/*.deb; do dpkg -x "$package" "$root"; done
    rm -rf "$root/lists" "$root/archives"
    loader=$(find "$root/usr/lib" -name 'ld-linux*' | head -n 1)
    libraries=$(dirname "$(find "$root/usr/lib" -name 'libc.so.6' | head -n 1)")
    printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' \
        "$loader" "$libraries" "$root/usr/bin/micropython" >"$bin/micropython"
    chmod +x "$bin/micropython"
    "$bin/micropython" -c pass || { rm -f "$bin/micropython" && return 1; }
}

echo "Installing ${needed[*]} …"
apt-get update -qq
if [[ " ${needed[*]} " == *" micropython "* ]] && ! apt-cache show micropython >/dev/null 2>&1; then
    read -ra needed <<<"${needed[*]/micropython/}"
    borrow_micropython || echo "MicroPython is not there; the tests of the USB hub will be skipped."
fi
[ "${#needed[@]}" -gt 0 ] || exit 0
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}" >/dev/null
