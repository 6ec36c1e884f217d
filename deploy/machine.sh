#!/bin/sh
# Carries out requests of a paired phone: SSH on or off, the card protected or not.
# systemd starts it, as root, when the hub has written a request; of each file only one word is
# trusted, and it is read as the hub's user: the file may be a link to anything.
set -eu

WISHES=${1:-/var/lib/centerpiece}
BOOT=${2:-/boot/firmware}

as_service() {
    owner=$(stat -c %U "$WISHES")
    if [ "$owner" = "$(id -un)" ]; then "$@"; else runuser -u "$owner" -- "$@"; fi
}

ssh_on() {
    id hub >/dev/null 2>&1 || useradd --create-home --shell /bin/bash --groups sudo hub
    password=$(LC_ALL=C tr -dc 'abcdefghjkmnpqrstuvwxyz23456789' </dev/urandom | head -c 12)
    printf 'hub:%s\n' "$password" | chpasswd
    # On the card only: anybody who can read it could do everything anyway.
    printf 'ssh hub@%s.local\r\npassword: %s\r\n' "$(cat /etc/hostname)" "$password" \
        >"$BOOT/centerpiece-ssh.txt"
    systemctl enable --now ssh
}

ssh_off() {
    systemctl disable --now ssh
    rm -f "$BOOT/centerpiece-ssh.txt"
    ! id hub >/dev/null 2>&1 || usermod --lock hub
}

# A file on the boot partition, which any computer can take away again (`centerpiece-protect.service`).
protected_on() {
    printf '%s\r\n' 'While this file is here, nothing but the games is written to the card.' \
        'Delete it, and the hub may write again from its next start on.' \
        >"$BOOT/centerpiece-protected.txt"
    sync
}

protected_off() {
    rm -f "$BOOT/centerpiece-protected.txt"
    sync
}

for wish in ssh protected; do
    [ -e "$WISHES/$wish-wish" ] || continue
    case $(as_service timeout 5 head -c 3 "$WISHES/$wish-wish") in
        on) "${wish}_on" ;;
        off) "${wish}_off" ;;
        *) echo "centerpiece: $WISHES/$wish-wish says neither on nor off" >&2 && exit 2 ;;
    esac
    as_service rm -f "$WISHES/$wish-wish"
done
