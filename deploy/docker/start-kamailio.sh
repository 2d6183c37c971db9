#!/bin/sh
# Fills in the configuration from the environment (deploy/kamailio/README.md) and becomes Kamailio.
set -eu
umask 077
# "worker-a=203.0.113.31": the address that phones and carriers know this edge by, by name of its machine.
for place in ${PUBLIC_ADDRESSES:-}; do
  case $place in
    "${MACHINE_NAME:-}="*) export SIP_PUBLIC_ADDRESS="${place#*=}" ;;
  esac
done
# Kamailio does not start with more than it may have.
limit=$(ulimit -Hn)
if [ "$limit" != unlimited ] && [ "$limit" -lt "$OPEN_FILES" ]; then export OPEN_FILES="$limit"; fi
cd "$EDGE_HOME"
mkdir -p etc run
# Left behind where the process died and the folder stayed.
rm -f "$CONTROL_SOCKET"
render.sh "${KAMAILIO_TEMPLATES:-/usr/share/sabia/kamailio}" "$EDGE_HOME/etc"
# In the foreground, the log to its output.
exec kamailio -DD -E -f "$EDGE_HOME/etc/kamailio.cfg" -Y "$EDGE_HOME/run" -P "$EDGE_HOME/run/pid" -w "$EDGE_HOME/run" \
  -m "$SHARED_MEGABYTES" -M "$PROCESS_MEGABYTES" "$@"
