#!/bin/sh
# Carries out what a paired phone wished of the machine: SSH on or off. systemd starts it, as root,
# when the hub has written its wish; nothing of that file is believed but the one word.
set -eu

WISH=${1:-/var/lib/centerpiece/ssh-wish}
CARD=${2:-/boot/firmware}/centerpiece-ssh.txt

switch_on() {
    id hub >/dev/null 2>&1 || useradd --create-home --shell /bin/bash --groups sudo hub
    password=$(LC_ALL=C tr -dc 'abcdefghjkmnpqrstuvwxyz23456789' </dev/urandom | head -c 12)
    printf 'hub:%s\n' "$password" | chpasswd
    # On the card only: whoever may read that, may do everything anyway.
    printf 'ssh hub@%s.local\r\npassword: %s\r\n' "$(cat /etc/hostname)" "$password" >"$CARD"
    systemctl enable --now ssh
}

switch_off() {
    systemctl disable --now ssh
    rm -f "$CARD"
    ! id hub >/dev/null 2>&1 || usermod --lock hub
}

case $(head -c 3 "$WISH") in
    on) switch_on ;;
    off) switch_off ;;
    *) echo "centerpiece: $WISH says neither on nor off" >&2 && exit 2 ;;
esac
