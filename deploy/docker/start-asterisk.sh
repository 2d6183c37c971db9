#!/bin/sh
# Fills in the configuration from the environment (deploy/asterisk/README.md) and becomes Asterisk.
set -eu
# Recordings in the spool are for telephony alone.
umask 027
templates=${ASTERISK_TEMPLATES:-/usr/share/sabia/asterisk}
# "0=203.0.113.11 1=203.0.113.12": the address that phones and carriers send audio to, by number of the pod or by name of its machine.
for place in ${PUBLIC_ADDRESSES:-}; do
  case $place in
    "${ASTERISK_NAME##*-}="* | "${MACHINE_NAME:-}="*)
      export RTP_PUBLIC_ADDRESS="${place#*=}" RTP_LOCAL_ADDRESS="$POD_IP" SIP_PUBLIC_ADDRESS="${place#*=}"
      ;;
  esac
done
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
