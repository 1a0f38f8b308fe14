# The right to act on a phone that several hosts can reach. Before what acts.
#   cl_token    the token of the right
#   cl_tokens   the folder of tokens; the last name is the newest

for cl_newest in "$cl_tokens"/*; do :; done
if [ "${cl_newest##*/}" != "$cl_token" ]; then
  echo 'clawperator: not done: fenced'
  exit
fi
