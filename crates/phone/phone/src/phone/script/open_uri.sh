# Opens a URI in the app that takes it, waits until that has drawn, and tells what
# is in front then. After guard.sh.
#   cl_uri   the URI

cl_ready && cl_do am start -W -a android.intent.action.VIEW -d "$cl_uri" || exit
cl_check_lock
echo 'clawperator: shown:'
echo "$cl_lines"
