#!/usr/bin/env bash
# Builds the kernel's simulated GPIO chip for an image, as a module: Debian's kernel has it switched
# off, and the Pi's own chip has no inputs in an emulator.
#
#   sudo tools/gpio_sim.sh QEMU IMAGE_ROOT OUTPUT.ko
#
# QEMU is the folder of tools/qemu.sh, IMAGE_ROOT the root that an image was written from.
set -euo pipefail

TOOLS=${1:?the folder of tools/qemu.sh} IMAGE=${2:?the root of an image} OUTPUT=${3:?a file}
POOL=${DEBIAN_MIRROR:-http://deb.debian.org/debian}/pool/main/l/linux

kernel=$(basename "$(echo "$IMAGE"/usr/lib/modules/*-arm64)")
abi=${kernel%-arm64}
version=$(dpkg-query --admindir="$IMAGE/var/lib/dpkg" -W -f '${Version}' "linux-image-$kernel")
source=linux-source-${version%%.*}.$(cut -d. -f2 <<<"$version")

fetched() { # fetched NAME: a package of this very kernel
    local file=$TOOLS/packages/${1}.deb
    mkdir -p "$TOOLS/packages"
    [ -s "$file" ] || curl -sf -o "$file" "$POOL/$1.deb"
    echo "$file"
}

for name in "linux-headers-${kernel}_${version}_arm64" "linux-headers-$abi-common_${version}_all" \
    "linux-kbuild-${abi}_${version}_amd64"; do
    dpkg-deb -x "$(fetched "$name")" "$TOOLS"
done
rm -rf "$TOOLS/module"
mkdir "$TOOLS/module"
dpkg-deb --fsys-tarfile "$(fetched "${source}_${version}_all")" |
    tar xO --wildcards './usr/src/linux-source-*.tar.xz' |
    tar xJ -C "$TOOLS/module" --strip-components=3 --wildcards \
        '*/drivers/gpio/gpio-sim.c' '*/kernel/irq/irq_sim.c'
# A module may not look up a descriptor by itself; the kernel does the same by the number.
sed -i 's/handle_simple_irq(irq_to_desc(\(.*\)));/generic_handle_irq(\1);/' \
    "$TOOLS/module/irq_sim.c"
printf 'obj-m := gpio-sim-all.o\ngpio-sim-all-objs := gpio-sim.o irq_sim.o\n' \
    >"$TOOLS/module/Makefile"
chroot "$TOOLS" make -s -C "/usr/src/linux-headers-$kernel" ARCH=arm64 \
    CROSS_COMPILE=aarch64-linux-gnu- M=/module modules
cp "$TOOLS/module/gpio-sim-all.ko" "$OUTPUT"
