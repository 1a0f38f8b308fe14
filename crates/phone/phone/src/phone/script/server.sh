# Runs the resident server, and ends it when it was not used for a while. It is a
# file on the phone.
#   cl_folder    where it is
#   cl_minutes   after how many minutes without use it ends

cd "$cl_folder" || exit 1
: >log
CLASSPATH=$PWD/u2.jar app_process / com.wetest.uia2.Main -p 9008 >>log 2>&1 &
cl_server=$!
echo "$cl_server $$ $(date +%s) $cl_minutes" >running
cl_turns=$((cl_minutes * 2))
cl_left=$cl_turns
while [ "$cl_left" -gt 0 ] && kill -0 "$cl_server" 2>/dev/null; do
  sleep 30
  # The kernel lists a connection for a minute after its end. 2330 is 9008, 0A is the server's own socket.
  if cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep ':2330 ' | grep -qv ' 0A '; then
    cl_left=$cl_turns
  else
    cl_left=$((cl_left - 1))
  fi
  : >log
done
kill "$cl_server" 2>/dev/null
# A newer server may have its own by now.
if grep -q " $$ " running 2>/dev/null; then rm -f running log; fi
