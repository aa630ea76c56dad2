// How far a long step of `npm test` is. A step reports with `progress`, a line on stderr; tools/test.mjs takes these lines
// out of the step's output and prints now and then one line for all steps that run.

/** Reports `done` of `all`, for example 3 of 8 rounds. Prints nothing unless tools/test.mjs started this program. */
export function progress(done, all, unit) {
  if (process.env.LIZA_PROGRESS !== undefined) process.stderr.write(`@progress ${done} of ${all} ${unit}\n`);
}

/** `3 of 8 rounds` where the line is a report; undefined where it is output. */
export const progressIn = (line) => /^@progress (\d+ of \d+ \S+)$/.exec(line)?.[1];

/** In a log a line this often is enough to see that it moves; a terminal has one line that changes. */
const EVERY = { log: 30_000, terminal: 500 };

/** Says on `out` which steps run and how far each is. */
export function runningStatus(out) {
  const begun = performance.now();
  const running = new Map();
  let shown = '';
  let timer;
  const line = () => {
    const steps = [...running].map(([name, far]) => (far === undefined ? name : `${name} ${far}`));
    return `  ${duration(performance.now() - begun)}: ${steps.join(', ')}`;
  };
  const clear = () => {
    if (shown !== '') out.write('\r\x1b[K');
    shown = '';
  };
  const tick = () => {
    if (running.size === 0) return;
    if (!out.isTTY) return void out.write(`${line()}\n`);
    clear();
    shown = line().slice(0, (out.columns ?? 80) - 1);
    out.write(shown);
  };
  return {
    begin(name) {
      timer ??= setInterval(tick, out.isTTY ? EVERY.terminal : EVERY.log);
      running.set(name, undefined);
      clear();
      if (!out.isTTY) out.write(`${name} …\n`);
    },
    far: (name, far) => void running.set(name, far),
    end(name, told) {
      running.delete(name);
      clear();
      out.write(`${told}\n`);
    },
    close() {
      clear();
      clearInterval(timer);
    },
  };
}

function duration(milliseconds) {
  const seconds = Math.round(milliseconds / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
