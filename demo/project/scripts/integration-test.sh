#!/bin/sh
# Run by Liza on every merge before the integration branch moves.
set -eu
# As specs/vision.md says: only bin/ prints.
if [ -d src ] && grep -rn 'console\.' src; then
  echo 'src/ prints; only bin/ may (specs/vision.md)'
  exit 1
fi
exec node --test
