#!/usr/bin/env node
console.error('tally: not built yet; see specs/vision.md');
process.exitCode = 1;
