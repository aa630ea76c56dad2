// The clock of a Liza process, jumped: `node --import` of this file, by NODE_OPTIONS, adds to every reading of the time
// as many seconds as the file GAUNTLET_CLOCK says at that moment. What the kernel counts (timers) goes on as it was:
// so it is when a person or NTP sets the clock. Test only; nothing in src knows of it.

import { readFileSync } from 'node:fs';

const file = process.env['GAUNTLET_CLOCK'];
const { now } = Date;
const shift = () => {
  try {
    return Number(readFileSync(file, 'utf8')) * 1000;
  } catch {
    return 0;
  }
};
Date.now = () => now.call(Date) + shift();
globalThis.Date = class extends Date {
  constructor(...given) {
    if (given.length === 0) super(Date.now());
    else super(...given);
  }
};
