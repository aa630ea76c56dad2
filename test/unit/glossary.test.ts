// The names in src obey docs/glossary.md: no household metaphor is left in an identifier or a file name, and a word that
// the glossary gives one meaning has no other. Strings are data (fields of the board, names in the journal) and comments
// are prose: neither is looked at.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');
const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** A word that no name in src may contain, and what to say instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  aftermath: 'after-session',
  bell: 'change signal',
  conduct: 'violations',
  deed: 'progress',
  deeds: 'progress',
  desk: 'open project',
  office: 'supervisor context',
  outlet: 'publish',
  outlets: 'publish',
  paper: 'terminal',
  papers: 'records',
  pen: 'layout',
  seat: 'agent status',
  shelter: 'sandbox mode',
  sight: 'observe',
  tidings: 'events',
};

/** The parts of the protocol's own names: they have one meaning there. */
const ROOMS: readonly { readonly files: RegExp; readonly instead: Readonly<Record<string, string>> }[] = [
  {
    files: /^(protocol|report|text)\/|\/rules\//,
    instead: { anew: 'again', course: 'plan history', room: 'space', spans: 'intervals' },
  },
];

test('an identifier is split into its words, and strings and comments are not looked at', () => {
  const code = [
    "const deskOf = 'office'; // bell\n/** seat */ type HTTPDesk = `shelter $",
    '{openOffice} x`; const a_bell = 1;',
  ].join('');
  expect([...wordsIn(code)].sort()).toEqual('a bell const desk http of office open type'.split(' '));
});

test('no name in src is a household metaphor', () => {
  expect(FILES.flatMap((file) => found(file, INSTEAD))).toEqual([]);
});

test.each(ROOMS)('a word has one meaning in $files', ({ files, instead }) => {
  const mine = FILES.filter((file) => files.test(file));
  expect(mine.length).toBeGreaterThan(80);
  expect(mine.flatMap((file) => found(file, instead))).toEqual([]);
});

/** `cli/x.ts: desk (open project)` for each word that may not be there. */
function found(file: string, instead: Readonly<Record<string, string>>): readonly string[] {
  const words = wordsIn(readFileSync(join(SRC, file), 'utf8'));
  for (const word of file.replace(/\.ts$/, '').split(/[/-]/)) words.add(word);
  return Object.entries(instead).flatMap(([word, better]) => (words.has(word) ? [`${file}: ${word} (${better})`] : []));
}

function wordsIn(code: string): Set<string> {
  const names = identifiersOnly(code).match(/[A-Za-z_$][\w$]*/g) ?? [];
  return new Set(names.flatMap((name) => name.split(PARTS)).flatMap((part) => (part === '' ? [] : part.toLowerCase())));
}

/** Between camelCase, at underscores, and before the last capital of `HTTPDesk`. */
const PARTS = /[_$]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;

function identifiersOnly(code: string): string {
  return code
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/(^|\s)\/\/[^\n]*/g, ' ')
    .replace(/'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, "''")
    .replace(/`(?:\\.|[^`\\])*`/g, (text) => [...text.matchAll(/\$\{([^{}]*)\}/g)].map(([, inner]) => inner).join(' '));
}
