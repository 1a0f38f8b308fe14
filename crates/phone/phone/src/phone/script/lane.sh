# Ends what runs of the resident server, and starts it anew or takes its marks.
#   cl_folder   where it is
#   cl_then     start or stop
# The words are the numbers of its scripts and servers.

for cl_process; do
  # The children of a script are the server and a `sleep`.
  pkill -P "$cl_process"
  kill "$cl_process" 2>/dev/null
done
case $cl_then in
start) cd "$cl_folder" && rm -f running log && { nohup sh "$cl_folder/server.sh" </dev/null >/dev/null 2>&1 & } ;;
stop) rm -f "$cl_folder/running" "$cl_folder/log" ;;
esac
