#!/bin/sh
# Runs the skill's script; for callers that start shell scripts only.
exec node "$(dirname "$0")/run.js" "$@"
