# Prints the app that owns a window. After guard.sh.
#   cl_window   the number of the window

cl_title=
cl_owner
echo "$cl_app"
