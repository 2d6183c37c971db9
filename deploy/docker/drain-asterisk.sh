#!/bin/sh
# drain-asterisk.sh SECONDS: the node takes no new calls. Returns when its last call has ended and telephony has fetched what was recorded,
# or after SECONDS. The kubelet runs it before it stops the pod.
set -eu
ask() {
  timeout "${DRAIN_PATIENCE_SECONDS:-5}" asterisk -C "$ASTERISK_HOME/etc/asterisk.conf" -rx "$1" 2> /dev/null
}
now() {
  date +%s
}
end=$(($(now) + $1))
# Telephony reads this variable every second, places its calls elsewhere and tells the edges.
ask 'dialplan set global SABIA_DRAINING 1' > /dev/null || true
# A call may be on its way here until both have heard of it.
sleep "${DRAIN_NOTICE_SECONDS:-5}"
silent=0
while [ "$(now)" -lt "$end" ]; do
  if count=$(ask 'core show channels count'); then
    silent=0
    case $count in
      '0 active channels'*) [ -n "$(ls -A "$ASTERISK_HOME/spool/recording")" ] || exit 0 ;;
    esac
  else
    # One that has been asked five times in vain has not started, or hangs: it has no calls that could be waited for.
    silent=$((silent + 1))
    [ "$silent" -lt 5 ] || exit 0
  fi
  sleep "${DRAIN_ROUND_SECONDS:-2}"
done
