#!/usr/bin/env bash
# Makes the pictures of README.md with a simulated phone: docs/pictures/make.sh [PROGRAM].
# The same program gives the same pictures: the phone has a seed and a port of its
# own, nothing is read from the user's folders, and measured times are left out.
# It needs node, chromium and pngquant (apt-get install nodejs chromium pngquant).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
program=$(realpath "${1:-$root/target/debug/clawperator}")
phone=7655 server=7656

work=$(mktemp -d)
for name in $(compgen -e CLAWPERATOR_ || true); do unset "$name"; done
export HOME=$work CLAWPERATOR_SIM_DIR=$work/sims CLAWPERATOR_LOCK_DIR=$work/locks
export ANDROID_SERIAL=sim PATH=$(dirname "$program"):$PATH
mkdir -m 700 "$work/sims" "$work/locks"
cd "$work"

end() {
    "$program" serve stop >&2 || true
    "$program" sim stop --all >&2 || true
    rm -rf "$work"
}
trap end EXIT

fresh_phone() {
    "$program" sim stop --all > /dev/null 2>&1 || true
    "$program" sim start --port "$phone" --seed 1 > /dev/null
}

# Writes a command and the first lines of its answer into the recording.
record() {
    local most=$1 all
    shift
    echo "\$ $*" >> session.txt
    bash -c "$*" > answer.txt 2>&1 || true
    all=$(wc -l < answer.txt)
    head -n "$most" answer.txt >> session.txt
    if [ "$all" -gt "$most" ]; then echo "… $((all - most)) more lines" >> session.txt; fi
}

fresh_phone
export CLAWPERATOR_OUTPUT=agent
echo '$ export CLAWPERATOR_OUTPUT=agent ANDROID_SERIAL=sim' > session.txt
record 11 'clawperator open "Smart home"'
record 8 'clawperator click --ref @e9'
record 4 'clawperator click --text Raise'
record 9 'clawperator click --ref @e39 --until 23.5 --count 10'
unset CLAWPERATOR_OUTPUT
node "$here/terminal.mjs" session.txt "$here/terminal.svg"

fresh_phone
"$program" exec "$root/examples/warmer-living-room.json" --report report.html > /dev/null
node "$here/browser.mjs" report report.html report.png

"$program" serve --background --port "$server" > /dev/null
node "$here/browser.mjs" page "http://127.0.0.1:$server/#token=$(cat .clawperator/token)" page.png

for name in report page; do
    pngquant --force --speed 1 --strip 128 --output "$here/$name.png" "$name.png"
done
ls -l "$here" >&2
