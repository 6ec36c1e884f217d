#!/usr/bin/env bash
# Makes the system that an image is built on, once: a folder with `root` and `boot` in it.
#
#   sudo tools/base.sh trixie FOLDER             Debian for 64-bit ARM, with the firmware of the Pi
#   sudo tools/base.sh SOMETHING.img.xz FOLDER   an image of Raspberry Pi OS Lite (64-bit), unpacked
#
# The first needs mmdebstrap, qemu-user-static and binfmt-support, and half an hour, because the
# packages' installation scripts are emulated. The second needs xz, mtools and debugfs.
# DEBIAN_MIRROR may name another mirror than Debian's own.
set -euo pipefail

WHAT=${1:?a suite of Debian, or an image} FOLDER=${2:?a folder}
MIRROR=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

PACKAGES=(
    linux-image-arm64 raspi-firmware firmware-brcm80211 wireless-regdb initramfs-tools zstd
    systemd-sysv systemd-timesyncd dbus kmod udev e2fsprogs dosfstools fdisk login passwd procps sudo
    network-manager wpasupplicant dnsmasq-base iw espeak-ng rfkill iproute2 avahi-daemon curl ca-certificates
    openssh-server openssh-client python3 python3-venv cloud-init espeak-ng
)
# Not needed on a hub: documents, parts for other boards, drivers of other cards.
LEFT_OUT=(
    '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*'
    '/usr/share/lintian/*' '/usr/share/i18n/*' '/usr/share/bug/*' '/usr/lib/linux-image-*/*'
    '/usr/lib/firmware/*'
)
MODULES='/usr/lib/modules/*/kernel'
for kind in gpu media infiniband scsi iio isdn accel staging net/ethernet net/wireless net/can \
    crypto ata nvme target md power platform bus edac; do
    LEFT_OUT+=("$MODULES/drivers/$kind/*")
done
for kind in sound fs/btrfs fs/xfs fs/ocfs2 fs/ceph fs/gfs2 fs/jfs fs/f2fs fs/bcachefs fs/reiserfs \
    fs/smb net/openvswitch; do
    LEFT_OUT+=("$MODULES/$kind/*")
done
TAKEN=(
    '/usr/share/doc/*/copyright' '/usr/lib/linux-image-*/broadcom*'
    '/usr/lib/firmware/brcm' '/usr/lib/firmware/brcm/brcmfmac434*' '/usr/lib/firmware/brcm/BCM*'
    '/usr/lib/firmware/cypress' '/usr/lib/firmware/cypress/cyfmac434*'
    '/usr/lib/firmware/synaptics*' '/usr/lib/firmware/regulatory*'
    "$MODULES/drivers/net/wireless/broadcom*" "$MODULES/drivers/net/ethernet/broadcom/genet*"
    "$MODULES/drivers/net/ethernet/cadence*" "$MODULES/drivers/staging/vc04_services*"
    "$MODULES/drivers/scsi/scsi_mod*" "$MODULES/drivers/scsi/scsi_common*"
    "$MODULES/drivers/scsi/sd_mod*" "$MODULES/sound/core*" "$MODULES/sound/soundcore*"
    "$MODULES/sound/soc/bcm*" "$MODULES/sound/soc/generic*" "$MODULES/sound/soc/snd-soc-core*"
    "$MODULES/sound/soc/codecs/snd-soc-max98357a*"
)

emulation() {
    mountpoint -q /proc/sys/fs/binfmt_misc ||
        mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    update-binfmts --enable qemu-aarch64
}

debian() {
    local options=(--aptopt='Acquire::Languages "none"' --aptopt='APT::Install-Recommends "false"')
    options+=(--dpkgopt=force-unsafe-io)
    options+=("${LEFT_OUT[@]/#/--dpkgopt=path-exclude=}" "${TAKEN[@]/#/--dpkgopt=path-include=}")
    emulation
    # shellcheck disable=SC2016 # mmdebstrap fills in the folder
    mmdebstrap --architectures=arm64 --variant=minbase --components=main,non-free-firmware \
        --include="$(IFS=, && echo "${PACKAGES[*]}")" "${options[@]}" \
        --setup-hook='mkdir -p "$1/boot/firmware"' "$WHAT" "$FOLDER/root" "$MIRROR"
    mv "$FOLDER/root/boot/firmware" "$FOLDER/boot"
    mkdir "$FOLDER/root/boot/firmware"
}

# Without a mount: the two partitions are cut out, and their files taken from them.
unpacked() {
    local image=$FOLDER/image starts
    xz --decompress --stdout "$WHAT" >"$image"
    mapfile -t starts < <(sfdisk --json "$image" | grep -o '"start": *[0-9]*' | grep -o '[0-9]*')
    mkdir "$FOLDER/root" "$FOLDER/boot"
    mcopy -s -i "$image@@$((starts[0] * 512))" '::*' "$FOLDER/boot"
    dd if="$image" of="$FOLDER/ext4" bs=512 skip="${starts[1]}" conv=sparse status=none
    debugfs -R "rdump / $FOLDER/root" "$FOLDER/ext4" >/dev/null 2>&1
    rm -f "$image" "$FOLDER/ext4"
    rmdir "$FOLDER/root/lost+found" 2>/dev/null || true
}

mkdir -p "$FOLDER"
[ ! -e "$FOLDER/root" ] || { echo "base: $FOLDER/root is there already; remove it first" >&2; exit 1; }
if [ -f "$WHAT" ]; then unpacked; else debian; fi
