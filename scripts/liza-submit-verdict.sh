#!/bin/sh
# liza-submit-verdict.sh <task> <APPROVED|REJECTED> [reason]: gives a verdict.
. "$(dirname -- "$0")/run-liza"
run_liza submit-verdict "$@"
