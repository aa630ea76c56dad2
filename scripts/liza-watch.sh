#!/bin/sh
# liza-watch.sh [project_root]: watches the board and raises alarms.
. "$(dirname -- "$0")/run-liza"
enter_project "$@"
run_liza watch $help
