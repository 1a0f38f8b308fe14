# Opens a URI in the app that takes it. After guard.sh.
#   cl_uri   the URI

am start -a android.intent.action.VIEW -d "$cl_uri" || exit
cl_check_lock || :
