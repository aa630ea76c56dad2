#!/bin/sh
# Run by Liza on every merge before the integration branch moves.
set -eu
exec node --test
