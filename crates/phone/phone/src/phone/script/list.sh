# Lists the packages that the words narrow it to. After packages.sh.

cl_list "$@"
