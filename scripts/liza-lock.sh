#!/bin/sh
# liza-lock.sh read | write <field> <value> | modify <command…>: plain access to the blackboard.
. "$(dirname -- "$0")/run-liza"
# What follows the operation is not for liza to read as options: `modify yq -i …`, `write .x -1`.
case "${2-}" in -h | --help) run_liza lock "$1" --help ;; esac
case "${1-}" in
  write | modify) operation=$1; shift; run_liza lock "$operation" -- "$@" ;;
  *) run_liza lock "$@" ;;
esac
