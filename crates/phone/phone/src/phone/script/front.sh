# Prints what is in front, as around a look. After screen.sh.

cl_tell_screen
cl_tell_screen
