#!/bin/sh
# update-sprint-metrics.sh [project_root]: recomputes sprint.metrics.
. "$(dirname -- "$0")/run-liza"
enter_project "$@"
run_liza metrics --record $help
