# What must be true before a finger touches or a key is pressed: the phone is on
# and unlocked, the computer waits, and what is wanted is in front. After
# screen.sh and listens.sh.
#   cl_wanted        a state as screen.sh has it, `@` and an app, or `-` for
#                    what is in front when it begins
#   cl_lock_lines    the lines that tell of a lock
#   cl_locked        their keys, the most exact first
#   cl_covered       the keys that tell of an app before the lock

cl_begun=

# Sets cl_reason to what keeps the phone from showing its apps, if something does.
cl_lock() {
  cl_reason=
  cl_policy=" $({ dumpsys window policy | grep -E "$cl_lock_lines"; dumpsys power | grep -E 'mWakefulness='; } 2>/dev/null)"
  case $cl_policy in
  *mWakefulness=Awake*|*mWakefulness=Dreaming*) ;;
  *mWakefulness=*) cl_reason=off; return ;;
  esac
  for cl_key in $cl_covered; do
    case $cl_policy in
    *[!a-zA-Z]"$cl_key"true*) return ;;
    esac
  done
  for cl_key in $cl_locked; do
    case $cl_policy in
    *[!a-zA-Z]"$cl_key"true*) cl_reason=locked; return ;;
    *[!a-zA-Z]"$cl_key"false*) return ;;
    esac
  done
}

# Sets cl_app to the app whose window is in front, if the phone says.
cl_owner() {
  cl_app=
  case $cl_window,$cl_title in
  ,*) ;;
  */*) cl_app=${cl_title%%/*} ;;
  *)
    cl_app=$(dumpsys window windows 2>/dev/null | grep -A 3 "Window #.* Window{$cl_window ")
    case $cl_app in
    *package=*) cl_app=${cl_app#*package=}; cl_app=${cl_app%% *} ;;
    *) cl_app= ;;
    esac
    ;;
  esac
}

# Sets cl_reason if something else is in front than what is wanted.
cl_compare() {
  case $cl_wanted in
  -) cl_wanted=$cl_state ;;
  @*)
    [ -n "$cl_window" ] || return
    cl_owner
    [ "@$cl_app" = "$cl_wanted" ] || cl_reason="changed $cl_title"
    ;;
  "$cl_state") ;;
  *) cl_reason="changed $cl_title" ;;
  esac
}

cl_say_reason() {
  [ -z "$cl_reason" ] || { echo "clawperator: not done: $cl_reason"; return 1; }
}

# Succeeds if something may be done now; else it says why not.
cl_ready() {
  cl_screen
  cl_lock
  [ -n "$cl_reason" ] || cl_compare
  cl_say_reason
}

# Does one thing. The first is announced: without these words nothing was done.
cl_do() {
  cl_listens || exit 1
  [ -n "$cl_begun" ] || echo 'clawperator: begins'
  cl_begun=1
  "$@"
}

# Looks once more at the end: what a phone got that went off meanwhile may be lost.
cl_check_lock() {
  cl_screen
  cl_lock
  cl_say_reason
}
