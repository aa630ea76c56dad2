// A played crew on a real terminal, for looking at the board: `node tools/board-pictures.mjs --play [ms per step]`.
// Arguments: milliseconds per step (0: nothing happens, still: not even time passes), the step to begin at, a log
// file, and after how many milliseconds to crash.

import { showLive } from '../../../../src/cli/live/show.ts';
import { fakeCrew } from './fake-crew.ts';

const [speed = '700', from = '0', log, crash] = process.argv.slice(2);
const then = Date.parse('2026-01-31T14:02:11Z');
const crew = fakeCrew(() => (speed === 'still' ? then : Date.now()), Number(from), log);
if (Number(speed) > 0) setInterval(() => crew.play(1), Number(speed));
if (crash !== undefined) {
  setTimeout(() => {
    throw new Error('a crash on purpose');
  }, Number(crash));
}
await showLive(
  { control: crew, access: crew },
  {
    stdin: process.stdin,
    stdout: process.stdout,
    color: !process.env.NO_COLOR,
    unicode: /utf-?8/i.test(process.env.LC_ALL || process.env.LANG || ''),
    onExit: (restore) => {
      process.on('exit', restore);
      return () => void process.off('exit', restore);
    },
  },
);
process.stdout.write('the board has ended\n');
process.exit(0);
