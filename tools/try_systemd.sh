#!/usr/bin/env bash
# Tries the units under a real systemd, in some minutes: a Debian in a container
# without a network, with the simulated hub. Started, starved of its watchdog, updated to a broken
# and to a healthy version, broken after a restart, and taken back.
#
#   sudo tools/try_systemd.sh dist/centerpiece-0.2.0.tar.gz [FOLDER]
#
# It needs debootstrap and systemd-container, and about five minutes.
set -euo pipefail

ARCHIVE=${1:?a release archive} ROOT=${2:-$(mktemp -d)}
SUITE=${SUITE:-bookworm}

[ -e "$ROOT/etc/debian_version" ] || debootstrap --variant=minbase \
    --include=systemd,systemd-sysv,dbus,python3,python3-venv,udev,ca-certificates,procps \
    "$SUITE" "$ROOT" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
cp /etc/resolv.conf "$ROOT/etc/resolv.conf"
if [ -n "${CA_BUNDLE:-}" ]; then cp "$CA_BUNDLE" "$ROOT/etc/ssl/certs/ca-certificates.crt"; fi
rm -rf "$ROOT/root/release" && mkdir "$ROOT/root/release"
tar xzf "$ARCHIVE" -C "$ROOT/root/release" --strip-components=1

# Packages and libraries while there is a network; the rest happens inside.
chroot "$ROOT" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    PIP_CERT=/etc/ssl/certs/ca-certificates.crt \
    /root/release/deploy/install.sh --hardware sim --beside

cat >"$ROOT/etc/systemd/system/try.service" <<'END'
[Unit]
After=basic.target

[Service]
Type=oneshot
ExecStart=/bin/bash /root/try.sh
ExecStopPost=/bin/systemctl --no-block poweroff
END

cat >"$ROOT/root/try.sh" <<'END'
exec >/root/played 2>&1
cd /root/release
broken() { # broken NAME: a version that ends as soon as it is started
    cp -a "$(readlink -f /opt/centerpiece/current)" /opt/centerpiece/versions/$1
    echo 'def run(options): return 3' |
        tee -a /opt/centerpiece/versions/$1/lib/python3*/site-packages/centerpiece/cli/run.py >/dev/null
}
in_use() { echo "in use: $(readlink /opt/centerpiece/current), $(systemctl is-active centerpiece)"; }
echo "--- installed"; deploy/install.sh --hardware sim; in_use
echo "--- once more"; deploy/install.sh --hardware sim
centerpiece doctor
pid=$(systemctl show -p MainPID --value centerpiece)
grep -E 'Uid|CapBnd|NoNewPrivs|Seccomp:' /proc/$pid/status
echo "--- a hub that hangs"
kill -STOP $pid; sleep 27; systemctl show -p NRestarts centerpiece; in_use
echo "--- a broken update"; broken 0.0.2-bad; /opt/centerpiece/switch 0.0.2-bad; in_use
echo "--- a healthy update"
cp -a "$(readlink -f /opt/centerpiece/current)" /opt/centerpiece/versions/0.0.3-good
/opt/centerpiece/switch 0.0.3-good; in_use
echo "--- broken after a restart"
broken 0.0.4-bad; /opt/centerpiece/switch --after-restart 0.0.4-bad
systemctl restart centerpiece; sleep 25; in_use
echo "--- taken back"; deploy/install.sh --uninstall --purge; getent passwd centerpiece || echo "no user"
END

systemd-nspawn -q -D "$ROOT" --register=no --keep-unit --private-network -b --console=pipe \
    systemd.unit=try.service </dev/null >/dev/null
cat "$ROOT/root/played"
