#!/bin/sh
# liza-checkpoint.sh [project_root]: halts and writes a summary.
. "$(dirname -- "$0")/run-liza"
enter_project "$@"
run_liza checkpoint $help
