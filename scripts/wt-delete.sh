#!/bin/sh
# wt-delete.sh <task>: removes a worktree; its work stays reachable.
. "$(dirname -- "$0")/run-liza"
run_liza wt delete "$@"
