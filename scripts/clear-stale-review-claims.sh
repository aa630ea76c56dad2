#!/bin/sh
# clear-stale-review-claims.sh [project_root]: frees reviews whose reviewer is gone.
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
if [ "$#" -gt 0 ]; then
  cd -- "$1" || { echo "${0##*/}: there is no project folder $1" >&2; exit 1; }
fi
run_liza clear-stale-review-claims
