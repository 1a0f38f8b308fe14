# A key. After guard.sh. The word behind it is its number.
#   cl_global   1 if the key does the same whatever app is in front
# Another key may have gone to another app than the one in front when it was
# checked; what led to an app that is in front afterwards is printed for us.

# The activities that are open, who started them, and the process of the app.
cl_history() {
  { dumpsys activity activities | grep -E '\* Hist|launchedFromPackage='; echo pid $(pidof "$cl_first"); } 2>/dev/null
}

if [ -n "$cl_global" ]; then
  cl_ready && cl_do input keyevent "$1" && cl_check_lock
  exit
fi
cl_screen
cl_owner
cl_first=$cl_app
cl_before=$(cl_history)
{ cl_ready && cl_do input keyevent "$1" && cl_check_lock; } || exit
cl_owner
case $cl_app in
''|"$cl_first") ;;
*)
  echo "clawperator: now in front: $cl_first $cl_app $cl_title"
  echo "$cl_before"
  echo 'clawperator: now open:'
  cl_history
  ;;
esac
