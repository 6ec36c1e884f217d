#!/bin/sh
# Runs the hub's program with its settings and games, from any folder.
export STATE_DIRECTORY="${STATE_DIRECTORY:-/var/lib/centerpiece}"
export CENTERPIECE_CONFIG="${CENTERPIECE_CONFIG:-/etc/centerpiece.toml}"
export CENTERPIECE_HARDWARE="${CENTERPIECE_HARDWARE:-$(sed -n 's/^CENTERPIECE_HARDWARE=//p' /etc/default/centerpiece)}"
exec /opt/centerpiece/current/bin/python -P -m centerpiece "$@"
