#!/bin/sh
# liza-validate.sh [state.yaml]: prints VALID, or INVALID: … with exit 1.
. "$(dirname -- "$0")/run-liza"
run_liza validate "$@"
