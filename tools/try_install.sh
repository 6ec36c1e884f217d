#!/usr/bin/env bash
# Tries the release archive on a whole system: a Debian of the Pi's
# architecture below a folder, run by emulation, with the boot files of a new card.
#
#   sudo tools/try_install.sh bookworm dist/centerpiece-0.2.0.tar.gz [FOLDER]
#
# It needs debootstrap, qemu-user-static and binfmt-support, and about ten minutes. What it shows is
# that packages, libraries and files come together on arm64; no device is there to be opened.
# CA_BUNDLE may name a file of certificates that the system there is to trust as well.
set -euo pipefail

SUITE=${1:?bookworm or trixie} ARCHIVE=${2:?a release archive} ROOT=${3:-$(mktemp -d)}

PROGRAMS=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

inside() { chroot "$ROOT" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH=$PROGRAMS "$@"; }

leave() {
    umount "$ROOT/proc" "$ROOT/real-proc" "$ROOT/dev" 2>/dev/null || true
}
trap leave EXIT

if ! mountpoint -q /proc/sys/fs/binfmt_misc; then
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
fi
update-binfmts --enable qemu-aarch64
[ -e "$ROOT/etc/debian_version" ] || debootstrap --arch=arm64 --variant=minbase \
    --include=ca-certificates,openssh-client,python3,systemd,udev,procps,passwd "$SUITE" "$ROOT" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}

# A /proc like the real one, but with the board's name and number in it.
mkdir -p "$ROOT/real-proc" "$ROOT/boot/firmware"
mount --bind /proc "$ROOT/real-proc"
mount -t tmpfs tmpfs "$ROOT/proc"
mount --bind /dev "$ROOT/dev"
for entry in self mounts cpuinfo meminfo stat sys filesystems uptime version thread-self; do
    ln -s "../real-proc/$entry" "$ROOT/proc/$entry"
done
MODEL=${MODEL:-Raspberry Pi 4 Model B Rev 1.4}
case $MODEL in *"Pi 5"*) NUMBER='\0\300\101\160' ;; *) NUMBER='\0\300\061\024' ;; esac
mkdir -p "$ROOT/proc/device-tree/system"
printf '%s\0' "$MODEL" >"$ROOT/proc/device-tree/model"
# shellcheck disable=SC2059 # the number is written as printf wants it
printf "$NUMBER" >"$ROOT/proc/device-tree/system/linux,revision"

[ -e "$ROOT/boot/firmware/config.txt" ] ||
    printf 'dtparam=audio=on\n' >"$ROOT/boot/firmware/config.txt"
[ -e "$ROOT/boot/firmware/cmdline.txt" ] ||
    printf 'console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootwait\n' \
        >"$ROOT/boot/firmware/cmdline.txt"
echo raspberrypi >"$ROOT/etc/hostname"
printf '127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n' >"$ROOT/etc/hosts"
cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
if [ -n "${CA_BUNDLE:-}" ]; then cp "$CA_BUNDLE" "$ROOT/etc/ssl/certs/ca-certificates.crt"; fi

rm -rf "$ROOT/root/release" && mkdir "$ROOT/root/release"
tar xzf "$ARCHIVE" -C "$ROOT/root/release" --strip-components=1
inside uname -m
time inside PIP_CERT=/etc/ssl/certs/ca-certificates.crt /root/release/deploy/install.sh
echo "--- once more"
inside /root/release/deploy/install.sh
echo "--- the program, there"
inside centerpiece doctor || true
# The processor that an emulation shows is that of the machine around it: Blinka is told better.
inside BLINKA_FORCECHIP=BCM2XXX BLINKA_SKIP_DEPENDENCY_CHECK=1 \
    /opt/centerpiece/current/bin/python -c '
import os, sys
os.chdir("/tmp")
for name in "gpiozero lgpio gpiod serial redis pygame board neopixel".split():
    __import__(name)
    print(f"{name} can be imported on Python {sys.version.split()[0]}")
'
inside centerpiece rules
inside centerpiece backup /root/none.db || true
echo "--- and back"
inside /root/release/deploy/install.sh --uninstall --purge
cat "$ROOT/boot/firmware/cmdline.txt" "$ROOT/boot/firmware/config.txt" "$ROOT/etc/hostname"
