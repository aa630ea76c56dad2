// What an approval names for a criterion, in words: for prompts, `show`, report and audit. What nothing can check is marked.

import { listed, pathWord } from '../../text/format.ts';
import type { Idle } from '../facts/verdict-facts.ts';
import type { Shown } from './approval-record.ts';
import { NO_TEST_COMMAND } from './proof.ts';

const NOT_RUN: Readonly<Record<string, string>> = {
  true: `NOT RUN BY LIZA (${NO_TEST_COMMAND})`,
  file: 'NOT RUN BY LIZA (no command that it ran runs this file)',
  values: 'NOT KNOWN TO HAVE RUN (no runner named it with these values)',
  left_out: 'NOT RUN BY LIZA (the command that runs its file chooses other tests by name)',
  empty: 'FLAGGED, NOTHING IN ITS BODY CAN FAIL (it may be green whatever the code does)',
  unreported: 'NOT KNOWN TO HAVE RUN (no runner reported it)',
};

const IDLE: Readonly<Record<Idle, string>> = {
  no_tests: 'FLAGGED, it ran 0 tests',
  green_before: 'FLAGGED, green before the change, too, and its output names no test',
};

const ALONE = 'FLAGGED, nothing that ran shows it: ';
const OUTSIDE = 'FLAGGED, outside the diff: ';
const PASSES_WITHOUT = 'FLAGGED, it passes without the change, too: ';

function flagOf({ alone, outside, elsewhere }: Shown): string {
  if (elsewhere !== undefined)
    return `FLAGGED, the criterion is about ${listed(elsewhere.map(pathWord), 3)}, and this says nothing of it: `;
  return outside === true ? OUTSIDE : alone === true ? ALONE : '';
}

function testFlag({ not_run, idle, beside }: Shown): string {
  if (not_run !== undefined) return `${NOT_RUN[String(not_run)] ?? 'NOT RUN BY LIZA'}: `;
  return idle === undefined || beside === true ? '' : PASSES_WITHOUT;
}

/** Something else shows it, and this is no harm beside that. */
const alsoGreen = ({ idle, beside }: Shown): string =>
  idle !== undefined && beside === true ? ' (green without the change, too)' : '';

/** Without the reason in brackets, for who says it elsewhere: `NOT RUN BY LIZA: test a > b`. */
export const shownBriefly = (one: Shown): string =>
  Object.values(NOT_RUN).reduce(
    (text, flag) => (text.startsWith(flag) ? text.replace(flag, flag.replace(/ \(.*\)$/, '')) : text),
    shownText(one),
  );

/** `ran npm test`, `NOT SHOWN`; what nothing can check is marked. */
export function shownText(one: Shown): string {
  const { by, what = '', unchanged, far, ran, adds, beside, idle } = one;
  const flag = flagOf(one);
  switch (by) {
    case 'place':
      return `${flag}${what}${ran ? ' (in a test file that ran)' : ''}${unchanged ? ' (unchanged file: the change does not touch it)' : ''}${far ? ' (no line near it is changed)' : ''}`;
    case 'nothing':
      return 'NOT SHOWN: the approval names no evidence for it';
    case 'seen':
      return beside === true ? `seen, too: ${what}` : `FLAGGED, only seen: ${what}`;
    case 'diff':
      if (adds !== true) return `${flag}the change touches only ${what}`;
      return `${flag}${what === '' ? '' : `within ${what}, `}the change only adds lines`;
    case 'test':
      return `${testFlag(one)}test ${what}${unchanged ? ' (unchanged test: the change does not touch its file)' : ''}${alsoGreen(one)}`;
    default:
      return `${idle === undefined || beside === true ? '' : `${IDLE[idle]}: `}${by} ${what}${alsoGreen(one)}`;
  }
}
