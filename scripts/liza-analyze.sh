#!/bin/sh
# liza-analyze.sh [project_root]: looks for systemic patterns.
. "$(dirname -- "$0")/run-liza"
enter_project "$@"
run_liza analyze $help
