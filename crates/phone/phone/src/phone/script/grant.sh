# Lets the Operator app work. The words are names of settings and their values.
#   cl_package, cl_permission   what gets which permission; empty for none

while [ $# -gt 0 ]; do
  settings put secure "$1" "$2" || exit
  shift 2
done
[ -z "$cl_permission" ] || pm grant "$cl_package" "$cl_permission" 2>&1
