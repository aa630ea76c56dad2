#!/bin/sh
# wt-create.sh [--fresh] <task>: makes the worktree of a claimed task.
. "$(dirname -- "$0")/run-liza"
run_liza wt create "$@"
