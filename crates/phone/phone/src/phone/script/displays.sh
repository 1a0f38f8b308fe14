# Prints the size of the phone's own screen, and all displays. After screen.sh.

cl_screen
echo "$cl_size"
dumpsys SurfaceFlinger --display-id 2>/dev/null
