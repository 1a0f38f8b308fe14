# Sends a payload to an app and follows the log from a moment before. After
# listens.sh.
#   cl_package, cl_payload, cl_mark, cl_tag   as in dispatch.rs
# The log takes a time no finer than the phone's clock prints it everywhere; the
# word in the log tells what of that second was before us. An app that was
# stopped gets it too, and only that of the user in front.

cl_since=$(date '+%m-%d %H:%M:%S.000')
cl_marked=
log -t "$cl_tag" "$cl_mark" 2>/dev/null && cl_marked=marked
cl_listens || exit 1
am broadcast -a app.clawperator.operator.ACTION_AGENT_COMMAND -p "$cl_package" --es payload "$cl_payload" --receiver-foreground --include-stopped-packages --user current 2>&1
echo "$cl_mark" $? "$cl_marked" "[$cl_since]" $(pidof "$cl_package" 2>/dev/null)
cl_lasting 86400 logcat -b main -v threadtime -T "$cl_since" 2>/dev/null
