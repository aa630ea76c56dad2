// Pictures of the live board as people see it. Plays a crew (test/unit/cli/live/play.ts) on the real board in tmux, in the
// sizes of docs/board/*.txt, with keys and resizes in between, and keeps what tmux shows, letter for letter. Needs tmux.
//   node tools/board-pictures.mjs --readme             docs/pictures/board.svg: the board of a real `liza demo` at work
//   node tools/board-pictures.mjs --play [ms] [step]   plays the crew on this terminal instead
//   node tools/board-pictures.mjs --measure            what the board costs, idle and busy

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { bundleInto } from './bundle.mjs';
import { helpIfAsked } from './help.mjs';
import { draw } from './terminal-picture.mjs';

helpIfAsked(import.meta.filename);
const DOCS = path.join(import.meta.dirname, '..', 'docs');
const BUSY = 45;
const QUIET = 84;
const STILL = 'still';

const folder = mkdtempSync(path.join(tmpdir(), 'liza-board-'));
const socket = path.join(folder, 'tmux');
const log = 'session.log';
const program = path.join(folder, 'play.mjs');
try {
  const [what, ...rest] = process.argv.slice(2);
  if (what !== '--readme') {
    const played = path.join(DOCS, '..', 'test', 'unit', 'cli', 'live', 'play.ts');
    await build({ entryPoints: [played], outfile: program, bundle: true, platform: 'node', format: 'esm' });
    writeFileSync(path.join(folder, log), sampleLog());
  }
  if (what === '--readme') await drawDemo();
  else if (what === '--play') play(rest);
  else if (what === '--measure') await measure();
  else await photograph();
} finally {
  spawnSync('tmux', ['-S', socket, 'kill-server']);
  rmSync(folder, { recursive: true, force: true });
}

function play([speed = '700', step = '0']) {
  spawnSync(process.execPath, [program, speed, step, log], { cwd: folder, stdio: 'inherit' });
}

async function photograph() {
  mkdirSync(path.join(DOCS, 'board'), { recursive: true });
  for (const size of ['80x24', '200x50']) {
    await start(size, STILL, BUSY);
    await keep(`busy-${size}`);
    await press('l');
    await keep(`log-${size}`);
    await press('Escape', '?');
    await keep(`help-${size}`);
    await press('Escape', 'Down', 'Down', 'p');
    await keep(`paused-${size}`);
    await stop();
    await start(size, STILL, QUIET);
    await keep(`waits-${size}`);
    await press('Enter');
    await keep(`task-${size}`);
    await stop();
  }
  // A lively run, dragged through sizes: the last picture shows whether anything was left behind.
  await start('200x50', 100, 0);
  for (const size of ['80x24', '132x30', '40x12', '200x50', '100x40', '80x24']) await resize(size);
  await keep('resized-80x24');
  await stop();
}

/** Once something is merged and two agents are at work. In the C locale: the picture is plain ASCII. */
async function drawDemo() {
  const dist = path.join(folder, 'package', 'dist');
  await bundleInto(dist);
  for (const part of ['contracts', 'demo', 'schema', 'templates', 'package.json'])
    cpSync(path.join(DOCS, '..', part), path.join(folder, 'package', part), { recursive: true });
  const env = ['LC_ALL=C', 'TZ=UTC', `HOME=${folder}`, `TMPDIR=${folder}`];
  const argv = ['env', ...env, process.execPath, path.join(dist, 'liza.cjs'), 'demo'];
  tmux('-f', '/dev/null', 'new-session', '-d', '-s', 'board', '-c', folder, '-x', '100', '-y', '32', ...argv);
  const works = (text) => /^ {2}MERGED/m.test(text) && (text.match(/^ {2}\S+ +working /gm) ?? []).length > 1;
  const shown = await until('two agents at work after a merge', works, 180_000);
  await press('q', 'y');
  await sleep(2000);
  const file = path.join(DOCS, 'pictures', 'board.svg');
  writeFileSync(file, draw('liza demo', shown.trimEnd().split('\n')));
  process.stdout.write(`${path.relative(process.cwd(), file)}\n`);
}

/** CPU and memory of the board alone, for 60 s each: nothing happens, and three changes a second. */
async function measure() {
  for (const size of ['80x24', '200x50']) {
    for (const [name, speed, step] of [
      ['idle', 0, QUIET],
      ['busy', 300, 0],
    ]) {
      await start(size, speed, step);
      const pid = tmux('list-panes', '-t', 'board', '-F', '#{pane_pid}').trim();
      const before = ticks(pid);
      await sleep(60_000);
      const cpu = (ticks(pid) - before) / 60;
      const pss = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024;
      process.stdout.write(`${name} ${size}: ${cpu.toFixed(2)} % CPU, ${pss.toFixed(0)} MB PSS\n`);
      await stop();
    }
  }
}

/** Hundredths of a second. */
function ticks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

async function start(size, speed, step) {
  const [x, y] = size.split('x');
  const line = `LC_ALL=C.UTF-8 TZ=UTC exec ${process.execPath} ${program} ${speed} ${step} ${log}`;
  tmux('-u', '-f', '/dev/null', 'new-session', '-d', '-s', 'board', '-c', folder, '-x', x, '-y', y, line);
  await shows('q leave');
}

async function stop() {
  tmux('send-keys', '-t', 'board', 'C-c');
  await sleep(200);
  tmux('send-keys', '-t', 'board', 'C-c');
  for (let i = 0; i < 50 && spawnSync('tmux', ['-S', socket, 'has-session']).status === 0; i += 1) await sleep(100);
}

async function press(...keys) {
  for (const key of keys) {
    tmux('send-keys', '-t', 'board', key);
    // An escape followed at once by another key would be one key.
    await sleep(250);
  }
  await sleep(750);
}

async function resize(size) {
  const [x, y] = size.split('x');
  tmux('resize-window', '-t', 'board', '-x', x, '-y', y);
  await sleep(400);
}

async function keep(name) {
  await sleep(300);
  writeFileSync(path.join(DOCS, 'board', `${name}.txt`), `${seen().trimEnd()}\n`);
  process.stdout.write(`docs/board/${name}.txt\n`);
}

function shows(words) {
  return until(words, (text) => text.includes(words), 10_000);
}

/** What is shown then. */
async function until(what, isShown, longest) {
  for (let waited = 0; waited < longest; waited += 100) {
    const text = seen();
    if (isShown(text)) return text;
    await sleep(100);
  }
  throw new Error(`the board never showed ${what}:\n${seen()}`);
}

function seen() {
  return tmux('capture-pane', '-p', '-t', 'board');
}

function tmux(...args) {
  return execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });
}

function sampleLog() {
  const does = [
    'Read src/http.ts',
    'The delay is never awaited, so all attempts run at once.',
    'Edit src/http.ts',
    '',
    'Bash npm test',
  ];
  return Array.from({ length: 80 }, (_, i) => `${does[i % does.length]}\n`).join('');
}
