# A phone goes on with a command when the computer is gone. Our end of the
# command's input stays open while we wait for its answer, so its end tells.

# Succeeds while the computer waits for the answer.
cl_listens() {
  read -t 0.001 cl_input
  [ $? -gt 128 ]
}

# Runs a command for at most so many seconds. It is ended as well when the
# computer no longer waits, so nothing that lasts is left on the phone. Signals are
# such that no shell can catch: while it starts, mksh takes others and goes on.
cl_lasting() {
  cl_seconds=$1
  shift
  # A phone may end the shell of a computer that is gone; what it has started lives on.
  trap '' HUP
  exec 3<&0
  "$@" 2>&1 3<&- &
  cl_child=$!
  {
    read -t "$cl_seconds" cl_input <&3
    cl_late=$?
    kill -0 "$cl_child" || exit
    # A message to a computer that is gone would end this shell first.
    [ "$cl_late" -le 128 ] || echo 'clawperator: ended, since it took too long'
    kill -9 "$cl_child"
  } &
  cl_watch=$!
  exec 3<&-
  wait "$cl_child"
  kill -9 "$cl_watch"
  wait "$cl_watch"
}
