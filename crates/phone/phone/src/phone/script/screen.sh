# What is in front. What the phone does not report is empty.

# Sets cl_size (the phone's own display in its current rotation), cl_window (the
# number of the window that has the focus), cl_state (size, rotation and window),
# and cl_title: the window's name up to a space, without a slash unless it names
# the app that has the focus, since an app chooses its titles.
cl_screen() {
  cl_lines=$({ dumpsys window displays | grep -E 'DISPLAY CONTENTS|Display: mDisplayId=|init=.* cur=|mCurrentRotation=|mCurrentFocus=|mFocusedApp='; } 2>/dev/null)
  cl_lines=${cl_lines##*DISPLAY CONTENTS}
  cl_lines=${cl_lines#*Display: mDisplayId=0}
  cl_lines=${cl_lines%%Display: mDisplayId=*}
  # Android before 10 prints the focus and the rotation among the windows.
  case $cl_lines in
  *mCurrentFocus=*) ;;
  *) cl_lines="$cl_lines "$({ dumpsys window windows | grep -E '(^| )mRotation=|mCurrentFocus=|mFocusedApp='; } 2>/dev/null) ;;
  esac
  cl_size=${cl_lines#*cur=}
  cl_size=${cl_size%%[!0-9x]*}
  cl_turn=${cl_lines#*mCurrentRotation=ROTATION_}
  cl_turn=${cl_turn##*[!a-zA-Z]mRotation=}
  cl_turn=${cl_turn%%[!0-9]*}
  cl_window=
  cl_title=
  case $cl_lines in
  *mCurrentFocus=Window?*)
    cl_title=${cl_lines#*mCurrentFocus=Window?}
    cl_window=${cl_title%%[!0-9a-zA-Z._:]*}
    cl_title=${cl_title#* }
    cl_title=${cl_title#u[0-9]* }
    cl_title=${cl_title%% *}
    ;;
  esac
  cl_focus=${cl_lines#*mFocusedApp=}
  case $cl_title,$cl_lines in
  */*,*mFocusedApp=*)
    case ${cl_focus%%mCurrentFocus=*} in
    *" ${cl_title%%/*}/"*) ;;
    *) cl_title=${cl_title##*/} ;;
    esac
    ;;
  esac
  cl_state=$cl_size,$cl_turn,$cl_window
}

# Prints what is in front, for the reader of a look.
cl_tell_screen() {
  cl_screen
  echo "clawperator: in front: $cl_state $cl_title"
}
