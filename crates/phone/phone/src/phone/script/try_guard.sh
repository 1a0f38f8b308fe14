# All of a touch but the touch: prints what the guard compares. After guard.sh.

cl_ready || exit
echo "clawperator: guard: $cl_state"
echo "$cl_policy"
