// How many durable transactions eight writers get through together: long-lived ones, as supervisors
// are, and one process per command, as agents are. None may be lost.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { makeBoard } from './boards.mjs';

const WRITERS = 8;

/** Transactions per second, and how many of them are missing afterwards. */
export async function longLived(env) {
  const each = 50;
  const folder = mkdtempSync(join(tmpdir(), 'liza-bench-worker-'));
  const worker = join(folder, 'worker.cjs');
  await build({
    entryPoints: [join(import.meta.dirname, '..', 'test/e2e/worker.ts')],
    outfile: worker,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'warning',
  });
  const root = makeBoard(10);
  const writers = Array.from({ length: WRITERS }, (_, n) =>
    spawn(process.execPath, [worker, 'notes', root, `writer-${n}`, String(each)], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  await Promise.all(writers.map(({ stdout }) => once(stdout, 'data')));
  const start = performance.now();
  for (const { stdin } of writers) stdin.end('go\n');
  await Promise.all(writers.map((writer) => once(writer, 'exit')));
  rmSync(folder, { recursive: true, force: true });
  return outcome(root, WRITERS * each, performance.now() - start);
}

export async function perCommand(liza, env) {
  const each = 12;
  const root = makeBoard(10);
  const start = performance.now();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, n) => {
      for (let number = 0; number < each; number += 1) {
        const done = spawn(process.execPath, [liza, 'note', `writer-${n} ${number}`], {
          cwd: root,
          env,
          stdio: 'ignore',
        });
        const [code] = await once(done, 'exit');
        if (code !== 0) throw new Error(`a note ended with ${code}`);
      }
    }),
  );
  return outcome(root, WRITERS * each, performance.now() - start);
}

function outcome(root, wanted, milliseconds) {
  const text = readFileSync(join(root, '.liza', 'state.yaml'), 'utf8');
  const found = text.match(/^ +message: "?writer-/gm)?.length ?? 0;
  rmSync(root, { recursive: true, force: true });
  return { rate: wanted / (milliseconds / 1000), lost: wanted - found };
}
