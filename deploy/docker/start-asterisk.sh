#!/bin/sh
# Fills in the configuration from the environment (deploy/asterisk/README.md) and becomes Asterisk.
set -eu
# Recordings in the spool are for telephony alone.
umask 027
templates=${ASTERISK_TEMPLATES:-/usr/share/sabia/asterisk}
cd "$ASTERISK_HOME"
mkdir -p etc cache lib/keys log run spool/recording
chosen=$(mktemp -d)
cp "$templates"/*.conf "$chosen"
# The embedded test carrier is for trying things out.
[ -n "${TEST_CARRIER_PASSWORD:-}" ] || rm -f "$chosen"/*_test_carrier.conf
export TEST_CARRIER_PORT="${TEST_CARRIER_PORT:-5066}"
render.sh "$chosen" "$ASTERISK_HOME/etc"
rm -r "$chosen"
exec asterisk -f -C "$ASTERISK_HOME/etc/asterisk.conf" "$@"
