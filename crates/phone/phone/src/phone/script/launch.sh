# Starts an app as its icon would, waits until it has drawn, and tells what is in
# front then. After guard.sh.
#   cl_package   the app
# A phone that does not say which activity that is, because there is none, or
# several, or no such command, leaves it to `monkey`, which finds out by itself.
# Only a phone that says nothing of the package does not have it; one that is
# still starting says why it cannot tell.

cl_start() {
  cl_activity=$(cmd package resolve-activity --brief "$cl_package" 2>/dev/null | tail -n 1)
  case $cl_activity in
  # A new task, and the app's last screen if it has one: what launchers do.
  "$cl_package"/*) am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -f 0x10200000 -n "$cl_activity" 2>&1 ;;
  *)
    cl_path=$(pm path "$cl_package" 2>&1)
    case $cl_path in
    *package:/*) monkey -p "$cl_package" -c android.intent.category.LAUNCHER --pct-syskeys 0 1 2>&1 ;;
    '') echo 'clawperator: not installed' ;;
    *) echo "Error: $cl_path"; false ;;
    esac
    ;;
  esac
}

cl_ready && cl_do cl_start || exit
cl_check_lock
echo 'clawperator: shown:'
echo "$cl_lines"
