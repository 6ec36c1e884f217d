#!/usr/bin/env bash
# Lists the programs that tests need besides Python packages and that are missing, with what is
# skipped without each. With --install it installs them: on Debian, as root.
set -euo pipefail

bin=$(dirname "$0")/../.venv/bin
missing=() skipped=()

# need PACKAGE 'what is skipped without it' COMMAND…: the command succeeds where it is there
need() {
    if ! "${@:3}" >/dev/null 2>&1; then
        missing+=("$1")
        skipped+=("$1: $2")
    fi
}

need chromium "all pages in a browser" command -v chromium
need nodejs "counting pips on photographs" command -v node
need gcc "power cuts and failing disks" command -v gcc
need redis-server "halls on a real Redis" command -v redis-server
need shellcheck "a look at the shell scripts" command -v shellcheck
need systemd "a look at the units" command -v systemd-analyze
need openssl "the password of an image" command -v openssl
need e2fsprogs "cards' images" command -v mke2fs
need fdisk "cards' images" command -v sfdisk
need dosfstools "cards' images" command -v mkfs.vfat
need mtools "cards' images" command -v mcopy
need xz-utils "cards' images" command -v xz
need espeak-ng "what the hub says aloud" command -v espeak-ng
need fonts-dejavu-core "nothing, but pages look different" test -e /usr/share/fonts/truetype/dejavu
need libasound2-data "sound cards" test -e /usr/share/alsa/alsa.conf
command -v micropython >/dev/null ||
    need micropython "hubs on a USB cable" test -x "$bin/micropython"
[ "${#missing[@]}" -gt 0 ] || exit 0

if [ "${1-}" != --install ]; then
    echo "Not installed, and skipped without it:"
    printf '  %s\n' "${skipped[@]}"
    echo "On Debian, 'make test-needs' installs all of it, as root."
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
        # Without a connection, give up soon.
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

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Only root can install ${missing[*]}, and only on Debian." >&2
    exit 1
fi
echo "Installing ${missing[*]} …"
apt-get update -qq
if [[ " ${missing[*]} " == *" micropython "* ]] && ! apt-cache show micropython >/dev/null 2>&1; then
    read -ra missing <<<"${missing[*]/micropython/}"
    borrow_micropython || echo "MicroPython is not there; the tests of the USB hub will be skipped."
fi
[ "${#missing[@]}" -gt 0 ] || exit 0
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
