// The import table of docs/ARCHITECTURE.md: which room may import which, which rooms are pure, who may touch the
// machine, and how long a file may be. One table, no list of exceptions.

import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { SOURCES as FILES, type Import, importsIn, sourceOf, withoutComments } from '../support/source-imports.ts';

const RULES = ['text', 'protocol', 'budget/rules', 'exchange/rules', 'governance/rules'] as const;
const BOARD = ['text', 'protocol', 'ports', 'process', 'store'] as const;
/** Whose shapes the pages take; what these do is the server's business. */
const TYPES = ['store', 'supervisor'] as const;
const WORK = [
  ...BOARD,
  'git',
  'identity',
  'identity/rules',
  'sandbox',
  'sandbox/rules',
  'tasks',
  'tasks/rules',
  'exchange',
  'exchange/rules',
] as const;

/** Room → the rooms it may import besides itself. A room is a folder of src/, or a folder in it that is named here. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  // pure: no disk, no clock, no process; the same input gives the same answer
  text: [],
  protocol: RULES,
  'budget/rules': RULES,
  'exchange/rules': RULES,
  'governance/rules': RULES,
  'identity/rules': RULES,
  'sandbox/rules': RULES,
  'tasks/rules': RULES,
  'preflight/rules': RULES,
  'alarms/rules': RULES,
  'audit/rules': [...RULES, 'sandbox/rules'],
  'supervisor/rules': RULES,
  'supervisor/prompts': [...RULES, 'supervisor/rules'],
  report: [...RULES, 'alarms/rules', 'sandbox/rules', 'supervisor/rules'],
  // the machine
  ports: ['text', 'protocol'],
  process: ['text', 'protocol', 'ports'],
  // one board, one repository
  store: ['text', 'protocol', 'ports', 'process'],
  git: ['text', 'protocol', 'ports', 'process'],
  exchange: ['text', 'protocol', 'ports', 'git', 'exchange/rules'],
  providers: ['text', 'protocol', 'ports', 'budget/rules'],
  identity: [...BOARD, 'git', 'identity/rules'],
  sandbox: [...BOARD, 'git', 'providers', 'sandbox/rules'],
  // subjects
  budget: [...BOARD, 'budget/rules'],
  tasks: [...BOARD, 'git', 'exchange', 'exchange/rules', 'identity', 'sandbox', 'tasks/rules', 'audit/rules'],
  preflight: [...WORK, 'providers', 'preflight/rules'],
  alarms: [...BOARD, 'git', 'alarms/rules'],
  governance: [...BOARD, 'governance/rules'],
  audit: [...WORK, 'audit/rules'],
  rehearsal: ['text', 'protocol', 'ports', 'supervisor/rules'],
  project: [...WORK, 'governance', 'report'],
  // on top
  supervisor: [
    ...WORK,
    ...['alarms', 'alarms/rules', 'budget', 'budget/rules', 'governance', 'providers'],
    ...['supervisor/prompts', 'supervisor/rules'],
  ],
  'rehearsal/demo': [...BOARD, 'supervisor'],
  cli: ['*'],
  // the dashboard's pages: what the live board and the screens say, as HTML
  'cli/web/views': [
    ...RULES,
    'alarms/rules',
    'audit/rules',
    'report',
    'sandbox/rules',
    'supervisor/rules',
    'cli',
    ...TYPES,
  ],
};
const PURE = /^(protocol|text|report|.*\/rules|supervisor\/prompts|cli\/web\/views)$/;
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  protocol: ['valibot'],
  store: ['yaml', 'diff'],
  ports: ['pg', 'pg/lib/client.js'],
  providers: ['@agentclientprotocol/sdk'],
  cli: ['../../../package.json'],
};

const ROOMS = Object.keys(MAY_IMPORT).sort((a, b) => b.length - a.length);
const roomOf = (file: string): string => ROOMS.find((room) => file.startsWith(`${room}/`)) ?? file;
const imports = (file: string): readonly Import[] => importsIn(sourceOf(file));

const target = (file: string, { module }: Import): string => normalize(join(dirname(file), module));

test('every file is in a room', () => {
  expect(FILES.filter((file) => !ROOMS.includes(roomOf(file)))).toEqual([]);
});

test('a room imports only what the table allows', () => {
  const wrong = (file: string, found: Import): boolean => {
    const room = roomOf(file);
    if (PACKAGES[room]?.includes(found.module)) return false;
    if (!found.module.startsWith('.')) return !found.module.startsWith('node:');
    const other = roomOf(target(file, found));
    const allowed = MAY_IMPORT[room] ?? [];
    return other !== room && !allowed.includes(other) && !allowed.includes('*');
  };
  const found = FILES.flatMap((file) => imports(file).map((one) => ({ file, one })));
  expect(found.length).toBeGreaterThan(FILES.length);
  expect(found.filter(({ file, one }) => wrong(file, one)).map(({ file, one }) => `${file} → ${one.module}`)).toEqual(
    [],
  );
});

test('the pure rooms touch neither clock, disk nor process', () => {
  const touches =
    /from 'node:|\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bperformance\.|\bset(Timeout|Interval)\(|Math\.random/;
  const pure = FILES.filter((file) => PURE.test(roomOf(file)));
  expect(pure.length).toBeGreaterThan(100);
  expect(pure.filter((file) => touches.test(withoutComments(sourceOf(file))))).toEqual([]);
});

test('no module waits for itself while it is loaded', () => {
  const next = new Map(
    FILES.map((file) => [
      file,
      imports(file)
        .filter(({ type, lazy, module }) => !type && !lazy && module.startsWith('.'))
        .map((one) => target(file, one)),
    ]),
  );
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file)) return;
    for (const one of next.get(file) ?? []) walk(one, [...path, file]);
    done.add(file);
  };
  for (const file of FILES) walk(file, []);
  expect(cycles).toEqual([]);
});

test('no file has more than 400 lines', () => {
  const lines = (file: string): number => sourceOf(file).split('\n').length - 1;
  expect(FILES.filter((file) => lines(file) > 400)).toEqual([]);
});

test('no folder of the protocol has more than 20 files', () => {
  const folders = FILES.map((file) => dirname(file)).filter((folder) => folder.startsWith('protocol'));
  const size = (folder: string): number => folders.filter((other) => other === folder).length;
  expect([...new Set(folders)].filter((folder) => size(folder) > 20)).toEqual([]);
});

test('nobody but its own command knows of the demo', () => {
  const knows = FILES.filter(
    (file) => !file.startsWith('rehearsal/demo/') && imports(file).some(({ module }) => /\/demo(\/|\.ts)/.test(module)),
  );
  // The registry lists it as it lists every command.
  expect(knows.sort()).toEqual(['cli/demo-play.ts', 'cli/registry.ts', 'cli/render/demo.ts', 'cli/verbs/demo.ts']);
});
