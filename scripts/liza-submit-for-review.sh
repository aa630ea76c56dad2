#!/bin/sh
# liza-submit-for-review.sh <task> <commit>: hands a commit to review.
. "$(dirname -- "$0")/run-liza"
run_liza submit-for-review "$@"
