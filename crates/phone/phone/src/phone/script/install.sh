# Installs an app from a file, which goes whatever comes of it.
#   cl_file   the file

pm install -r -t "$cl_file"
cl_code=$?
rm -f "$cl_file"
exit "$cl_code"
