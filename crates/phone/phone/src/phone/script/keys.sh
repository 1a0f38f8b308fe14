# Keys that change a field. After guard.sh. What is in front is checked before
# every piece and at the end.
#   cl_clear   how many letters the field holds, empty if it keeps them
# The words behind it are one command: `text` and pieces, or a broadcast.

# Selects all and deletes it. A phone that cannot press keys together says so,
# and may still end well; there letters are deleted from the end of the last line.
cl_empty() {
  case "$(input keycombination 113 29 2>&1)" in
  '') input keyevent 67 ;;
  *)
    cl_deletes=
    while [ "$cl_clear" -gt 0 ]; do
      cl_deletes="$cl_deletes 67"
      cl_clear=$((cl_clear - 1))
    done
    input keyevent 123 $cl_deletes
    ;;
  esac
}

cl_ready || exit
if [ -n "$cl_clear" ]; then
  { cl_do cl_empty && cl_ready; } || exit
fi
case $1 in
text)
  shift
  for cl_piece; do
    { cl_do input text "$cl_piece" && cl_ready; } || exit
  done
  ;;
?*) cl_do "$@" && cl_ready ;;
esac
