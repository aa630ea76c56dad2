#!/bin/sh
# liza-claim-task.sh <task> <agent>: claims a task for an agent.
. "$(dirname -- "$0")/run-liza"
run_liza claim-task "$@"
