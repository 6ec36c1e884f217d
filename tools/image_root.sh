#!/usr/bin/env bash
# Puts a release into a copy of a base, as an image has it: nothing in it is secret, and nothing in
# it belongs to one hub.
#
#   sudo tools/image_root.sh BASE ARCHIVE FOLDER       BASE as tools/base.sh makes it
#
# The release's own installer does it, by emulation (`--image`), and without a network. The same base
# and archive give the same files with the same times: none is later than SOURCE_DATE_EPOCH.
set -euo pipefail

: "${SOURCE_DATE_EPOCH:?must say the time of the image, in seconds since 1970}"

BASE=${1:?a base} ARCHIVE=${2:?a release archive} FOLDER=${3:?a folder}
ROOT=$FOLDER/root BOOT=$FOLDER/boot
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PROGRAMS=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

# inside COMMAND…: with a /proc of its own that is gone when the command ends, and no network
inside() {
    # shellcheck disable=SC2016 # filled in by the inner shell
    unshare --mount --net --fork sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' \
        "$ROOT" /usr/bin/env -i HOME=/root LANG=C.UTF-8 PATH="$PROGRAMS" \
        SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" PYTHONHASHSEED=0 "$@"
}

installed() {
    rm -rf "$ROOT/tmp/release"
    mkdir -p "$ROOT/tmp/release"
    tar xzf "$ARCHIVE" -C "$ROOT/tmp/release" --strip-components=1
    mv "$BOOT"/* "$ROOT/boot/firmware/"
    inside /tmp/release/deploy/install.sh --image --data-partition PARTUUID=c3e7a11e-03
    mv "$ROOT/boot/firmware"/* "$BOOT/"
    rm -rf "$ROOT/tmp/release"
}

# Once, as the installer does elsewhere; by this machine's own Python where it is of the same kind.
# The order of a set within the compiled files is chance, unless it is told not to be; and whatever
# was compiled on the way (pip's runs leave a file or two) is compiled anew.
compiled() {
    local versions=/opt/centerpiece/versions name
    name=$(basename "$(echo "$ROOT$versions"/*/lib/python*)")
    local how=(-m compileall -f -q --invalidation-mode unchecked-hash)
    if "$name" -c '' 2>/dev/null; then
        PYTHONHASHSEED=0 "$name" "${how[@]}" -s "$ROOT" -p / "$ROOT$versions"
    else
        inside "$name" "${how[@]}" "$versions"
    fi
}

# A disk that is found by its number; a boot partition that a computer has hurt keeps nobody from
# playing; no waiting for a network.
bootable() {
    cat >"$ROOT/etc/fstab" <<'END'
PARTUUID=c3e7a11e-02  /               ext4  defaults,noatime  0 1
PARTUUID=c3e7a11e-01  /boot/firmware  vfat  defaults,noatime,nofail  0 2
END
    sed -i 's/root=[^ ]*/root=PARTUUID=c3e7a11e-02/; s/ *$//' "$BOOT/cmdline.txt"
    if [ -f "$ROOT/etc/default/raspi-firmware" ]; then
        sed -i 's/^#\?ROOTPART=.*/ROOTPART=PARTUUID=c3e7a11e-02/' "$ROOT/etc/default/raspi-firmware"
        lit
    fi
    ln -sf /dev/null "$ROOT/etc/systemd/system/NetworkManager-wait-online.service"
    # Package lists that are not used, and checks of disks that a card does not have.
    rm -f "$ROOT"/etc/systemd/system/timers.target.wants/{apt-daily,dpkg-db,e2scrub}* \
        "$ROOT/etc/systemd/system/multi-user.target.wants/e2scrub_reap.service"
}

# Debian's kernel comes without the overlays of the Pi's firmware: SPI is switched on in the trees.
lit() {
    local tree spi
    for tree in "$BOOT"/bcm*.dtb; do
        spi=$(fdtget "$tree" /aliases spi0 2>/dev/null) || spi=/soc/spi@7e204000
        fdtget "$tree" "$spi" compatible >/dev/null 2>&1 || continue
        fdtput -t s "$tree" "$spi" status okay
        fdtput -c -p "$tree" "$spi/spidev@0"
        fdtput -t s "$tree" "$spi/spidev@0" compatible rohm,dh2228fv
        fdtput -t x "$tree" "$spi/spidev@0" reg 0
        fdtput -t i "$tree" "$spi/spidev@0" spi-max-frequency 125000000
    done
}

# SSH is off until it is wanted, and then makes its own keys.
closed() {
    rm -f "$ROOT"/etc/ssh/ssh_host_*
    inside systemctl --quiet disable ssh.service ssh.socket
    mkdir -p "$ROOT/etc/systemd/system/ssh.service.d"
    cat >"$ROOT/etc/systemd/system/ssh.service.d/keys.conf" <<'END'
[Service]
ExecStartPre=
ExecStartPre=/usr/bin/ssh-keygen -A
ExecStartPre=/usr/sbin/sshd -t
END
    sed -i 's/^root:[^:]*:/root:!*:/' "$ROOT/etc/shadow"
}

# Raspberry Pi Imager writes its settings to the boot partition; without any, nothing waits.
cloud() {
    [ -d "$ROOT/etc/cloud" ] || return 0
    cp "$HERE/../deploy/cloud-init.cfg" "$ROOT/etc/cloud/cloud.cfg.d/90-centerpiece.cfg"
    local unit
    for unit in "$ROOT"/usr/lib/systemd/system/cloud-{init,config,final}*.service; do
        mkdir -p "$ROOT/etc/systemd/system/${unit##*/}.d"
        printf '[Unit]\nRequiresMountsFor=/boot/firmware\nConditionPathExists=/boot/firmware/user-data\n' \
            >"$ROOT/etc/systemd/system/${unit##*/}.d/imager.conf"
    done
    printf 'instance-id: centerpiece\n' >"$BOOT/meta-data"
}

nobodys() {
    echo raspberrypi >"$ROOT/etc/hostname"
    printf '127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n' >"$ROOT/etc/hosts"
    : >"$ROOT/etc/machine-id"
    rm -f "$ROOT/var/lib/dbus/machine-id" "$ROOT/var/lib/systemd/random-seed" "$ROOT/etc/resolv.conf"
    rm -rf "$ROOT"/var/cache/apt/* "$ROOT"/var/lib/apt/lists/* "$ROOT"/var/log/* "$ROOT"/tmp/* \
        "$ROOT"/root/.cache "$ROOT"/run/* "$ROOT"/etc/*- "$ROOT"/var/cache/debconf/*-old
}

# What was written now is as old as the release; and what is made from /usr (the hardware's names, the
# list of libraries) is as new as that, so that a first start need not make it again.
timeless() {
    touch "$ROOT/etc/.updated" "$ROOT/var/.updated"
    find "$ROOT" "$BOOT" -newermt "@$SOURCE_DATE_EPOCH" -exec \
        touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

rm -rf "$FOLDER"
mkdir -p "$FOLDER"
cp -a --reflink=auto "$BASE/root" "$BASE/boot" "$FOLDER"
[ -s "$BOOT/cmdline.txt" ] || echo "console=tty1 root=none rw rootwait net.ifnames=0" >"$BOOT/cmdline.txt"
nobodys
installed
compiled
bootable
closed
cloud
nobodys
timeless
