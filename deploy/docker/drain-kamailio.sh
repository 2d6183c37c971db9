#!/bin/sh
# drain-kamailio.sh SECONDS: the edge takes no more registrations and web phones; who is there is served until SECONDS are over. The kubelet
# runs it before it stops the pod: what is connected then sees its connection end and is at another edge a moment later.
set -eu
kamcmd -s "unix:$CONTROL_SOCKET" pv.shvSet draining int 1
sleep "$1"
