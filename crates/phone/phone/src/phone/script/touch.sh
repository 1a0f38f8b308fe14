# A finger. After guard.sh. The words behind it are those of `input`, and the
# second and third are the first point; those of a drag are said at cl_drag.

# Fails if the point is outside of the screen. A size that makes no sense is none.
cl_on_screen() {
  case $cl_size in
  *x*x*|??????*x*|*x??????*) ;;
  [1-9]*x[1-9]*)
    if [ "$1" -ge "${cl_size%%x*}" ] || [ "$2" -ge "${cl_size#*x}" ]; then
      echo "clawperator: not done: outside $cl_size"
      return 1
    fi
    ;;
  esac
}

# drag X Y REST PAUSE X,Y...: a finger goes down, rests, and moves with pauses.
# It goes up again whatever the phone says to the moves between. Android up to 9
# knows no such finger.
cl_drag() {
  cl_said=$(input motionevent DOWN "$2" "$3" 2>&1)
  case $cl_said in
  '') ;;
  *'nknown command'*) echo 'clawperator: not done: no motion events'; return ;;
  *) echo "$cl_said"; return ;;
  esac
  sleep "$4"
  cl_pause=$5
  shift 5
  cl_said=$({
    for cl_point; do
      sleep "$cl_pause"
      cl_listens && input motionevent MOVE "${cl_point%,*}" "${cl_point#*,}"
    done
    input motionevent UP "${cl_point%,*}" "${cl_point#*,}"
  } 2>&1)
  [ -z "$cl_said" ] || echo 'Error: a part of the drag was refused'
}

# What is wanted was seen with its place on the screen; a bare point was not.
cl_bare=$cl_wanted
cl_ready || exit
[ "$cl_bare" != - ] || cl_on_screen "$2" "$3" || exit
case $1 in
drag) cl_do cl_drag "$@" ;;
*) cl_do input "$@" ;;
esac && cl_check_lock
