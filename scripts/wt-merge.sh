#!/bin/sh
# wt-merge.sh <task>: merges an approved task.
. "$(dirname -- "$0")/run-liza"
run_liza wt merge "$@"
