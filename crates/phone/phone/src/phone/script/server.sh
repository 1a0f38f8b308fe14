# Runs clawperator's resident server, and ends it when it was not used for
# a while.
minutes=MINUTES
cd /data/local/tmp/clawperator-lane || exit 1
: >log
CLASSPATH=$PWD/u2.jar app_process / com.wetest.uia2.Main -p 9008 >>log 2>&1 &
server=$!
echo "$server $$ $(date +%s) $minutes" >running
turns=$((minutes * 2))
left=$turns
while [ $left -gt 0 ] && kill -0 $server 2>/dev/null; do
  sleep 30
  # The kernel lists a connection for a minute after its end. 2330 is 9008, 0A is the server's own socket.
  if cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep ':2330 ' | grep -qv ' 0A '; then
    left=$turns
  else
    left=$((left - 1))
  fi
  : >log
done
kill $server 2>/dev/null
# A newer server may have its own by now.
if grep -q " $$ " running 2>/dev/null; then rm -f running log; fi
