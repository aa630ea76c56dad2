// What a single field may hold, with the words in which it is refused; records are made of these.

import * as v from 'valibot';
import { readExchange, USUAL_MEND } from '../../exchange/rules/address.ts';

export const TEXT_LIMIT = 16_384;
export const ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const TIMESTAMP_PATTERN = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const COMMIT_PATTERN = /^[0-9a-f]{7,64}$/;

export const text = v.pipe(
  v.string('must be text'),
  v.maxLength(TEXT_LIMIT, (issue) => `is ${issue.received} characters, at most ${TEXT_LIMIT} are kept`),
);
export const id = v.pipe(v.string('must be text'), v.regex(ID_PATTERN, `must match ${ID_PATTERN.source}`));
export const timestamp = v.pipe(
  v.string('must be a quoted timestamp'),
  v.regex(TIMESTAMP_PATTERN, 'must look like 2026-01-31T12:00:00Z'),
);
export const commit = v.pipe(
  v.string('must be a commit id in quotes (unquoted, YAML may read it as a number)'),
  v.regex(COMMIT_PATTERN, 'must be a commit id: 7 to 64 hexadecimal digits'),
);
export const count = v.pipe(
  v.number('must be a number'),
  v.integer('must be a whole number'),
  v.minValue(0, 'must be ≥ 0'),
);
export const amount = v.pipe(v.number('must be a number'), v.finite('must be a number'), v.minValue(0, 'must be ≥ 0'));
export const limit = v.pipe(
  v.number('must be a number'),
  v.integer('must be a whole number'),
  v.minValue(1, 'must be ≥ 1'),
);
export const branch = v.pipe(
  v.string('must be text'),
  v.regex(/^(?![-./])(?!.*(?:\.\.|\/\/|@\{|\.lock$|[/.]$))[A-Za-z0-9._/@+-]+$/, 'must be a branch name'),
);
export const isBranchName = (name: string): boolean => v.is(branch, name);
export const map = v.record(v.string(), v.unknown(), 'must be a map');
export const seconds = v.pipe(v.number('must be a number of seconds'), v.minValue(1, 'must be ≥ 1 second'));
export const oneOf = <const T extends readonly string[]>(values: T) =>
  v.picklist(values, (issue) => `is ${issue.received}, must be one of ${values.join(', ')}`);
export const texts = v.array(text, 'must be a list');
/** Files or folders of the machine, but never all of it or all of the home. */
export const places = v.array(
  v.pipe(
    text,
    v.regex(
      /^(?:~\/|\/)(?!(?:.*\/)?\.{1,2}(?:\/|$))(?=.*[^/])/,
      'must be a full path: /… or ~/…, and not / or ~ itself',
    ),
  ),
  'must be a list',
);
export const ids = v.array(id, 'must be a list of ids');
/** Of a repository that git reaches, or the name of a remote that has one. */
export const repositoryAddress = v.pipe(
  text,
  v.check(
    (said) => readExchange(said).kind !== 'fault',
    (issue) => faultText(issue.input),
  ),
);

function faultText(said: string): string {
  const read = readExchange(said);
  if (read.kind !== 'fault') return '';
  return read.mend === USUAL_MEND ? read.why : `${read.why}: ${read.mend}`;
}
