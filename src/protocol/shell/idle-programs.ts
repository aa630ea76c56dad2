// What makes a known program a check, as a table. Without that it prints, lists or makes files, and is green whatever the
// code does. A program that is in no row, or is called in a way that no row names, counts as a check.

import type { Word } from './shell-tokens.ts';

interface Row {
  /** Its first word that is no option; absent: however it is called. */
  readonly verb?: RegExp;
  /** Only where no other word follows that verb: `npm ls left-pad` asks for something. */
  readonly bare?: true;
  /** A word that makes a check of it. */
  readonly check?: RegExp;
  readonly kind: Kind;
}

type Kind = keyof typeof WHY;

/** What it does instead, and how its question becomes a check. */
const WHY = {
  prints:
    'prints what it reads, and is green whatever that is; say what must be there: `grep -q …`, `test "$(…)" = …`, or `test -f …` for the file itself',
  lists: 'succeeds whatever it finds; ask for what must be there: `… | grep -q …`, or `test -z "$(…)"`',
  makes:
    'makes what it names, or changes or removes it, and checks nothing; behind it name the command that checks, with `&&`',
  asks: 'asks the machine or a program about itself, not about the code',
  packages:
    'lists the packages that are installed, not what the code does; with the name of a package it asks for that one',
  scripts: 'without the name of a script only lists them; name the one that checks',
} as const;

const PRINTS: Row = { kind: 'prints' };
const MAKES: Row = { kind: 'makes' };

/** A red exit code of its own, or a program in a file that is not read here. */
const SED_CHECK = /(?:^|[;{}\d/$\s!])[qQ]\s*\d|^-[a-zA-Z]*f|^--file/;
const AWK_CHECK = /\bexit\b|\bsystem\b|\bgetline\b|^-f|^--(?:file|include)/;
const SUMS: Row = { kind: 'prints', check: /^-[a-zA-Z]*c|^--check/ };
const AWK: Row = { kind: 'prints', check: AWK_CHECK };
const scripts = (verb: RegExp): Row => ({ kind: 'scripts', verb, bare: true });
const packages = (verb: RegExp): Row => ({ kind: 'packages', verb, bare: true });
const lists = (verb: RegExp, bare?: true): Row => ({ kind: 'lists', verb, ...(bare === undefined ? {} : { bare }) });

const RUN = /^(?:run|run-script|rum|urn)$/;
const LIST = /^(?:ls|list|la|ll)$/;

const each = (names: string, ...rows: readonly Row[]): readonly (readonly [string, readonly Row[]])[] =>
  names.split(' ').map((name) => [name, rows]);

const ROWS: ReadonlyMap<string, readonly Row[]> = new Map([
  ...each(
    'tac head tail less more nl wc cut fold fmt rev paste column tr uniq expand od xxd hexdump strings du',
    PRINTS,
  ),
  ...each('base64 comm file realpath readlink tee', PRINTS),
  ...each('sort', { kind: 'prints', check: /^-[a-zA-Z]*[cC]|^--check/ }),
  ...each('sha1sum sha224sum sha256sum sha384sum sha512sum md5sum b2sum cksum shasum', SUMS),
  ...each('sed gsed', { kind: 'prints', check: SED_CHECK }),
  ...each('awk gawk mawk nawk', AWK),
  ...each('find', { kind: 'lists', check: /^-(?:exec|execdir|ok|okdir)$/ }),
  ...each('mkdir rmdir touch cp mv rm ln chmod chown install truncate mktemp', MAKES),
  ...each('tar', {
    kind: 'makes',
    check: /^(?:-[a-zA-Z]*[txd][a-zA-Z]*|[txd][vzjJpk]*f|--(?:list|extract|get|diff|compare))$/,
  }),
  ...each('ps df free uptime who lscpu history jobs dirs', { kind: 'asks' }),
  ...each(
    'npm',
    scripts(RUN),
    packages(LIST),
    { kind: 'asks', verb: /^(?:view|info|search|whoami|root|prefix|config|docs|fund|ping)$/ },
    { kind: 'makes', verb: /^init$/ },
    { kind: 'lists', verb: /^pkg$/, check: /^(?:set|delete|fix)$/ },
  ),
  ...each('pnpm yarn bun', scripts(RUN), packages(LIST)),
  ...each('deno', scripts(/^task$/)),
  ...each('pip pip3 uv', lists(/^(?:list|freeze)$/)),
  ...each('composer poetry', lists(/^show$/, true)),
  ...each('bundle', lists(/^(?:list|env)$/, true)),
  ...each('go', { kind: 'asks', verb: /^env$/ }, { kind: 'makes', verb: /^clean$/ }),
  ...each('cargo', { kind: 'asks', verb: /^search$/ }, { kind: 'makes', verb: /^clean$/ }),
  ...each('dotnet', { kind: 'makes', verb: /^(?:new|clean)$/ }),
  ...each('docker podman', { kind: 'asks', verb: /^(?:ps|images|info|version)$/ }),
  ...each(
    'git',
    lists(/^(?:status|stash|remote|shortlog|reflog|tag|branch)$/),
    { kind: 'lists', verb: /^(?:diff|log)$/, check: /^--(?:exit-code|quiet|check|no-index)$/ },
    { kind: 'lists', verb: /^ls-files$/, check: /^--error-unmatch$/ },
    lists(/^show$/, true),
    { kind: 'makes', verb: /^(?:add|checkout|switch|restore|reset|clean|init)$/ },
  ),
]);

/** Why it is no check; undefined: it may be one. */
export function whyNoCheck(name: string, rest: readonly Word[]): string | undefined {
  const words = rest.map(({ text }) => text);
  const row = rowOf(name, rest);
  if (row !== undefined) return `\`${row.verb === undefined ? name : `${name} ${verbOf(words)}`}\` ${WHY[row.kind]}`;
  const [one, other, ...more] = words.filter((word) => !word.startsWith('-') || word === '-');
  return /^(?:diff|cmp)$/.test(name) && one !== undefined && one === other && more.length === 0
    ? `it compares ${one} with itself`
    : undefined;
}

/** Whether somebody who reads what it prints can see something in it. */
export const isForReaders = (name: string, rest: readonly Word[]): boolean => {
  const kind = rowOf(name, rest)?.kind;
  return kind === 'prints' || kind === 'lists';
};

function rowOf(name: string, rest: readonly Word[]): Row | undefined {
  const words = rest.map(({ text }) => text);
  const named = words.filter((word) => !word.startsWith('-'));
  return ROWS.get(name)?.find(({ verb, bare, check }) => {
    if (verb !== undefined && !verb.test(named[0] ?? '')) return false;
    if (bare === true && named.length > 1) return false;
    // What a variable holds may be what makes a check of it.
    return check === undefined || !rest.some(({ text, varies }) => check.test(text) || (varies && verb === undefined));
  });
}

const verbOf = (words: readonly string[]): string => words.find((word) => !word.startsWith('-')) ?? '';
