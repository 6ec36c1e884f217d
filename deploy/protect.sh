#!/bin/sh
# Makes the root read-only for this start. What programs write to /etc and /var is kept in memory and
# gone with the plug; the games have a partition of their own, which is mounted after this.
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
