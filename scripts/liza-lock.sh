#!/bin/sh
# liza-lock.sh read | write <field> <value> | modify <command…>: plain access to the blackboard.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
run_liza() {
  if [ -f "$here/../dist/liza.cjs" ] && command -v node >/dev/null 2>&1; then
    exec node "$here/../dist/liza.cjs" "$@"
  elif command -v liza >/dev/null 2>&1; then
    exec liza "$@"
  fi
  echo "${0##*/}: liza was not found: install it (npm install -g liza) or put it on PATH" >&2
  exit 5
}
# What follows the operation is not for liza to read as options: `modify yq -i …`, `write .x -1`.
case "${1-}" in
  write | modify) operation=$1; shift; run_liza lock "$operation" -- "$@" ;;
  *) run_liza lock "$@" ;;
esac
