// sandbox-exec (macOS): the policy as a profile. It has no mounts, so nothing can be shown at another place than its
// own: home and temporary folder are named by the environment instead, and what is hidden is refused. Of the rules
// that fit, the last one counts, which is why they go from the root downwards.
// Written after the profiles that macOS ships; it could not be run where it was written.

import { type Entry, entriesOf, type Policy } from './policy.ts';

export function seatbeltArgv(
  program: string,
  policy: Policy,
  argv: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return [program, '-p', profileOf(policy), ...argv];
}

export function profileOf(policy: Policy): string {
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    ...DEVICES,
    ...entriesOf(policy).flatMap(rules),
    // Only what belongs to this sandbox may be signalled or looked at.
    '(deny signal)',
    '(allow signal (target same-sandbox))',
    '(deny process-info*)',
    '(allow process-info* (target same-sandbox))',
    '(deny mach-priv-task-port)',
    '(deny system-privilege)',
    '(deny appleevent-send)',
    ...(policy.network ? [] : ['(deny network*)', '(allow network* (local ip "localhost:*"))', LOCAL]),
    '',
  ].join('\n');
}

const LOCAL = '(allow network-outbound (remote ip "localhost:*"))';
const DEVICES = [
  '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/(tty|fd/|dtracehelper)"))',
];

function rules({ kind, from, at }: Entry): readonly string[] {
  const place = `(subpath ${quoted(kind === 'hide' ? at : from)})`;
  switch (kind) {
    case 'hide':
      return [`(deny file-read* file-write* ${place})`, `(allow file-read-metadata ${place})`];
    case 'read':
      return [`(allow file-read* ${place})`, `(deny file-write* ${place})`];
    case 'write':
      return [`(allow file-read* file-write* ${place})`];
    default:
      return kind satisfies never;
  }
}

const quoted = (path: string): string => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
