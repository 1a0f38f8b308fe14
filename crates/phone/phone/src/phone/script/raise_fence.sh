# Gives the phone a token and removes older ones; prints the newest. Each token
# is a file, so that two hosts at once leave the newer one as the last.
#   cl_token, cl_tokens   as in fence.sh

mkdir -p "$cl_tokens" && : >"$cl_tokens/$cl_token"
for cl_old in "$cl_tokens"/*; do
  if [[ ${cl_old##*/} < $cl_token ]]; then rm -f "$cl_old"; fi
done
for cl_newest in "$cl_tokens"/*; do :; done
echo "${cl_newest##*/}"
