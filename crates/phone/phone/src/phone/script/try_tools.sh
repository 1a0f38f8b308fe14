# Prints which of the commands and options that our scripts need are missing.

for cl_tool in am cat dumpsys getprop grep input pidof pm printf rm screencap settings sleep tail uiautomator wm; do
  type "$cl_tool" >/dev/null 2>&1 || echo "$cl_tool"
done
case $(printf 'a=1\nb\nc\n' | grep -E -A 1 '(^| )a=') in
a=1?b) ;;
*) echo 'grep -E -A' ;;
esac
case $(printf '1\n2\n' | tail -n 1) in
2) ;;
*) echo 'tail -n' ;;
esac
sleep 0.01 2>/dev/null || echo 'sleep 0.01'
# Without it a command goes on when the computer is gone.
cl_listens || echo 'read -t'
echo 'clawperator: tried'
