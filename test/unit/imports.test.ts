// The import rule of docs/ARCHITECTURE.md, the few who may look at the process, and the size of files.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

const ADAPTERS = ['store', 'git', 'agents', 'notify', 'programs', 'rehearsal', 'sandbox'] as const;
const PROCEDURES = ['core', ...ADAPTERS, 'workflows'] as const;

/** Part → the parts it may import besides itself. Adapters know the core, never each other. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  ...Object.fromEntries(ADAPTERS.map((adapter) => [adapter, ['core']])),
  workflows: ['core', ...ADAPTERS],
  watcher: ['core', ...ADAPTERS],
  supervisor: [...PROCEDURES, 'watcher'],
  demo: ['core', 'supervisor'],
  cli: [...PROCEDURES, 'supervisor', 'watcher', 'demo', 'web'],
  web: [...PROCEDURES, 'supervisor', 'watcher'],
};
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: ['valibot'],
  store: ['yaml', 'diff'],
  agents: ['@agentclientprotocol/sdk'],
  cli: ['../../../package.json', 'ink', 'react'], // `liza version`; the live board
};

/** What of the process a file may use besides cli/main.ts, and why. None of it is clock, environment or cwd. */
const PROCESS: Readonly<Record<string, RegExp>> = {
  'ports/files.ts': /^process\.pid$/, // names temporary files, so that two writers never share one
  'store/transaction.ts': /^process\.pid$/, // as above
  'git/repository.ts': /^process\.pid$/, // as above
  'git/scratch-folders.ts': /^process\.pid$/, // as above
  'git/process-alive.ts': /^process\.kill$/, // signal 0 asks whether a leftover's writer lives
  'project/edit.ts': /^process\.pid$/, // as above
  'git/private-git-dir.ts': /^process\.pid$/, // as above
  'sandbox/mode.ts': /^process\.pid$/, // as above
  'tasks/context.ts': /^process\.pid$/, // names itself in reservations
  'store/lock.ts': /^(process\.(pid|platform)|performance\.now)$/, // flock differs by system; waiting is not the time of day
  'cli/code-cache.ts': /^process\.(versions|arch|pid|argv)$/, // which V8, and which command, a code cache is for
  'process/process-identity.ts': /^process\.(hrtime|platform|getBuiltinModule)$/, // leases age by the monotonic clock; /proc is Linux's
  'process/process-table.ts': /^process\.platform$/, // /proc is Linux's
  'process/ancestors.ts': /^process\.(platform|getBuiltinModule)$/, // as above
  'process/mark.ts': /^process\.(platform|getBuiltinModule)$/, // as above
  'sandbox/detect.ts': /^process\.platform$/, // each system has its own
  'process/resource-usage.ts': /^(process\.platform|performance\.now)$/, // /proc is Linux's; how old a look is
  'alarms/desktop.ts': /^process\.kill$/, // ends a notifier that hangs, with its children
  'process/tree.ts': /^process\.kill$/, // ends what a program left behind
  'cli/entry.ts': /^process\.(env|argv|exitCode)$/, // whether it is the one in a sandbox
  'sandbox/mailbox-client.ts': /^process\.(stdout|stderr)$/, // passes the answer on
  'cli/verbs/demo.ts': /^process\.once$/, // its folder goes, however the process ends
  'cli/verbs/rehearse.ts': /^process\.(kill|exit)$/, // an agent program ends itself as its script says
  'process/agent-process.ts': /^performance\.now$/, // as below
  'process/run.ts': /^performance\.now$/, // how long something took is not the time of day
};
/** A list of cases rather than code that hides something. */
const LONG = ['store/conformance.ts'];

const partOf = (file: string): string => (file.split('/')[0] ?? '').replace(/\.ts$/, '');
const code = (file: string): string => readFileSync(join(SRC, file), 'utf8').replace(/^\s*(\/\/|\/?\*).*$/gm, '');
const imports = (file: string): string[] =>
  [...code(file).matchAll(/(?:\bfrom |\bimport |\bimport\()'([^'\n]+)'/g)].map(([, name = '']) => name);

test('imports flow one way, and only the core and the store know a package', () => {
  const wrong = (file: string) => (name: string) => {
    const part = partOf(file);
    if (PACKAGES[part]?.includes(name)) return false;
    if (!name.startsWith('.')) return part === 'core' || !name.startsWith('node:');
    return ![part, ...(MAY_IMPORT[part] ?? [])].includes(partOf(normalize(join(dirname(file), name))));
  };
  const found = FILES.flatMap((file) => imports(file).map((name) => ({ file, name })));
  expect(found.length).toBeGreaterThan(FILES.length);
  expect(found.filter(({ file, name }) => wrong(file)(name))).toEqual([]);
});

test('nobody but cli/main.ts reads the clock, the environment or the cwd', () => {
  const looks = (file: string): string[] =>
    code(file).match(/\bprocess\.\w+|\bperformance\.\w+|\bDate\.now\b|\bnew Date\(\)/g) ?? [];
  const found = FILES.flatMap((file) => looks(file).map((use) => ({ file, use })));
  const allowed = ({ file, use }: (typeof found)[number]) => file === 'cli/main.ts' || PROCESS[file]?.test(use);
  expect(found.filter((look) => !allowed(look))).toEqual([]);
});

test('no file has more than 400 lines', () => {
  const lines = (file: string): number => readFileSync(join(SRC, file), 'utf8').split('\n').length - 1;
  expect(FILES.filter((file) => lines(file) > 400 && !LONG.includes(file))).toEqual([]);
});

test('nobody but its own command knows of the demo', () => {
  const knows = FILES.filter(
    (file) => !file.startsWith('demo/') && imports(file).some((name) => /\/demo(\/|-|\.ts)/.test(name)),
  );
  // The registry lists it as it lists every command.
  expect(knows.sort()).toEqual(['cli/render/demo.ts', 'cli/registry.ts', 'cli/verbs/demo.ts']);
});
