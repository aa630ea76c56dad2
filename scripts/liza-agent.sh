#!/bin/sh
# LIZA_AGENT_ID=coder-1 liza-agent.sh <role> [task]: supervises one agent.
. "$(dirname -- "$0")/run-liza"
run_liza agent "$@"
