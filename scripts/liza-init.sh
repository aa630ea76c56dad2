#!/bin/sh
# liza-init.sh "goal" [--spec path]: starts a goal in the current project.
. "$(dirname -- "$0")/run-liza"
run_liza init "$@"
