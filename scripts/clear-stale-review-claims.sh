#!/bin/sh
# clear-stale-review-claims.sh [project_root]: frees reviews whose reviewer is gone.
. "$(dirname -- "$0")/run-liza"
enter_project "$@"
run_liza clear-stale-review-claims $help
