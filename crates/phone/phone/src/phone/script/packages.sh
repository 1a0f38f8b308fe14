# Lists packages of the user who is in front: some phones refuse to list those of
# all users, others know no user.

# The words narrow the list.
cl_list() {
  cl_user=$(am get-current-user 2>/dev/null)
  pm list packages --user "$cl_user" "$@" 2>/dev/null || pm list packages "$@"
}
