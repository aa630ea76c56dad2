#!/bin/sh
# wt-create.sh [--fresh] <task>: makes the worktree of a claimed task.
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
run_liza wt create "$@"
