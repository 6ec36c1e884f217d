#!/usr/bin/env bash
# The first start of a card that was written from an image. Run by `centerpiece first-start`, which
# shows a look of its own on the lights meanwhile.
#
#   first-start.sh                       all of it
#   first-start.sh grow DISK NUMBER FILE_SYSTEM
#
# A power cut may come anywhere: every step checks what is still to do, and
# /opt/centerpiece/started is written last.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SMALLEST=3000
BOOT=/boot/firmware

say() { printf '%s\n' "$*"; }

# The partition ends where the card ends, and the file system where the partition ends.
grow() { # grow DISK NUMBER FILE_SYSTEM
    say ", +" | sfdisk --quiet --no-reread --no-tell-kernel -N "$2" "$1"
    [ ! -b "$1" ] || partx --update --nr "$2" "$1"
    resize2fs "$3"
    sync
}

grow_root() {
    local part disk
    part=$(findmnt -n -o SOURCE /)
    disk=$(lsblk -n -o PKNAME "$part")
    grow "/dev/$disk" "$(cat "/sys/class/block/${part##*/}/partition")" "$part"
}

problem() { # problem KIND [SENTENCE]: told on the page and on the card; without a sentence it is gone
    "$HERE/../bin/python" -P -m centerpiece problem "$@" || true
}

# Each message is written again or removed: an earlier try may have left another.
look_at_card() {
    local size trouble=""
    grow_root || trouble="The card could not be grown to its full size; the hub plays, but a large \
update may not fit. Write the card anew, or use another one."
    size=$(df -Pm / | awk 'NR == 2 { print $2 }')
    [ "$size" -ge "$SMALLEST" ] || trouble="The card is too small: it has $size MB for the hub, and \
an update needs $SMALLEST. Use a card of 8 GB or more."
    problem card ${trouble:+"$trouble"}
}

look_at_boot() {
    local trouble=""
    [ -s "$BOOT/centerpiece-sticker.svg" ] || trouble="The hub could not write its sticker to the \
drive bootfs on the card, perhaps because it is full. Put the card into a computer and delete what \
you copied to it."
    problem boot ${trouble:+"$trouble"}
}

# Raspberry Pi Imager was asked to allow logins.
let_in() {
    if grep -Eqs '^ *(ssh_authorized_keys:|ssh_pwauth: *true)' "$BOOT/user-data"; then
        systemctl enable --no-block --now ssh
    fi
}

if [ $# -gt 0 ]; then
    "$@"
    exit
fi
"$HERE/install.sh" --own
look_at_boot
look_at_card
let_in
touch /opt/centerpiece/started
sync
