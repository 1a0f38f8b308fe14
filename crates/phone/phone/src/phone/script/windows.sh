# Prints the number of the window that has the focus, and the windows. After
# screen.sh.
#   cl_window_lines   picks the lines wanted of thousands

cl_screen
echo "$cl_window"
dumpsys window windows | grep -E "$cl_window_lines"
