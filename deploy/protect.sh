#!/bin/sh
# Makes the root read-only for this start. Writes to /etc and /var stay in memory and are lost with
# the power; the games have a partition of their own, which is mounted after this.
#
#   protect.sh [ROOT]
set -eu

ROOT=${1:-}
KEPT=$ROOT/run/centerpiece-protected

for folder in etc var; do
    mkdir -p "$KEPT/$folder/new" "$KEPT/$folder/work"
    mount -t overlay "protected-$folder" "$ROOT/$folder" \
        -o "lowerdir=$ROOT/$folder,upperdir=$KEPT/$folder/new,workdir=$KEPT/$folder/work"
done
mount -o remount,ro "${ROOT:-/}"
