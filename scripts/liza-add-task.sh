#!/bin/sh
# liza-add-task.sh --id … --desc … --spec … --done … --scope … [--priority n] [--depends ids]: adds a task.
. "$(dirname -- "$0")/run-liza"
run_liza add-task "$@"
