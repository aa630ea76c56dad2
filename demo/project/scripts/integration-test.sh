#!/bin/sh
# Run by Liza on every merge before the integration branch moves.
set -eu
# As specs/vision.md says: only bin/ prints.
if [ -d src ] && grep -rn 'console\.' src; then
  echo 'src/ prints; only bin/ may (specs/vision.md)'
  exit 1
fi
# In one process: starting one for each file takes longer than the tests do.
for file in test/*.test.mjs; do [ ! -e "$file" ] || echo "import './$file';"; done | node --input-type=module -
