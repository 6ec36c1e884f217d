#!/bin/sh
# The hub's own program, settings and games, whatever the caller's folder is.
export STATE_DIRECTORY="${STATE_DIRECTORY:-/var/lib/centerpiece}"
export CENTERPIECE_CONFIG="${CENTERPIECE_CONFIG:-/etc/centerpiece.toml}"
export CENTERPIECE_HARDWARE="${CENTERPIECE_HARDWARE:-$(sed -n 's/^CENTERPIECE_HARDWARE=//p' /etc/default/centerpiece)}"
exec /opt/centerpiece/current/bin/python -P -m centerpiece "$@"
