# A look at the screen. After screen.sh and listens.sh.
#   cl_way       terminal or file: how the tree gets out of the phone
#   cl_file      the file
#   cl_seconds   how long it may take
# The words behind it are further options of the dump. A look that goes on by
# itself would keep the next one out, so the phone ends it.

cl_dump() {
  cl_lasting "$cl_seconds" uiautomator dump "$@" 2>/dev/null
}

cl_tell_screen
if [ "$cl_way" = terminal ] && (: >/dev/tty) 2>/dev/null; then
  cl_dump "$@" /dev/tty
else
  # The old file goes first: the phone may say it has written and not do so.
  rm -f "$cl_file"
  cl_dump "$@" "$cl_file"
  cat "$cl_file" 2>/dev/null
  rm -f "$cl_file"
fi
cl_tell_screen
