// Every implementation of the Store interface against the one suite.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { OPERATOR } from '../../../src/core/board.ts';
import type { State } from '../../../src/core/state.ts';
import type { Instant } from '../../../src/core/time.ts';
import { type Bench, conformance, type MakeBench } from '../../../src/store/conformance.ts';
import { start } from '../../../src/store/import.ts';
import { memoryStore } from '../../../src/store/memory.ts';
import { contextOf, openYamlStore } from '../../../src/store/open.ts';
import { emitEntries } from '../../../src/store/yaml/emit.ts';
import { yamlStore } from '../../../src/store/yaml.ts';

const inMemory: MakeBench = async (first, now) => {
  let clock = now;
  const store = memoryStore(first, { now: () => clock });
  return {
    store,
    other: store,
    pass: (seconds) => {
      clock += seconds * 1000;
    },
    close: async () => {},
  };
};

const inFiles: MakeBench = async (first, now) => onDisk(first, now, true);
const withoutGit: MakeBench = async (first, now) => onDisk(first, now, false);

function onDisk(first: State, now: Instant, git: boolean): Bench {
  const root = mkdtempSync(join(tmpdir(), 'liza-conformance-'));
  mkdirSync(join(root, '.liza'));
  let clock = now;
  const context = () =>
    contextOf({
      root,
      gitDirectory: git ? join(root, '.git') : undefined,
      clock: () => clock,
      specExists: () => true,
      nested: undefined,
    });
  start(context(), `${emitEntries({ ...first }, 0).join('\n')}\n`, OPERATOR, 'init', 'a board to test');
  // Opened at once and lazily, each in both seats.
  const [store, other] = git ? [openYamlStore, yamlStore] : [yamlStore, openYamlStore];
  return {
    store: store(context()),
    other: other(context()),
    pass: (seconds) => {
      clock += seconds * 1000;
    },
    startHolder,
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}

async function startHolder() {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    end: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe.each<[string, MakeBench]>([
  ['the store in memory', inMemory],
  ['the YAML store', inFiles],
  ['the YAML store without a git directory', withoutGit],
])('%s', (_name, make) => {
  for (const { name, run } of conformance(make)) test(name, run);
});
