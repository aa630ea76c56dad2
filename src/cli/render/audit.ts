// What `liza audit` prints: the goal's facts, then those of each task, each with its mark.

import type { Audit } from '../../audit/gather.ts';
import type { Fact, Mark } from '../../audit/rules/facts.ts';
import { unconfined } from '../../audit/rules/sessions.ts';
import { counted } from '../../text/format.ts';
import { mergerText } from './blame.ts';
import { type Line, type Page, pageFor, type Tone } from './layout.ts';
import type { Look } from './terminal.ts';

const LABEL: Readonly<Record<Mark, string>> = { verified: 'ok', unverifiable: '?', contradicted: 'CONTRADICTED' };
const TONE: Readonly<Record<Mark, Tone>> = { verified: 'good', unverifiable: 'warn', contradicted: 'bad' };

/** `whole`: shows of each task only the facts that are not verified, and counts the others and the open sessions. */
export function renderAudit({ goal, tasks }: Audit, whole: boolean, look: Look): string {
  const p = pageFor(look);
  return p.print([
    [{ text: 'The goal', tone: 'strong' }],
    ...goal.flatMap((fact) => factLines(p, fact)),
    ...tasks.flatMap(({ task, facts }): readonly Line[] => {
      const shown = whole ? facts.filter(({ mark }) => mark !== 'verified') : facts;
      const ok = facts.filter(({ mark }) => mark === 'verified').length;
      const open = unconfined(facts);
      return [
        [],
        [{ text: p.say(`${task.id}: ${task.description ?? ''}`), tone: 'strong' }],
        [
          { text: `  ${task.status}${p.dot}${ok} of ${facts.length} facts verified`, tone: 'faint' },
          ...(open > 0 && whole
            ? [{ text: `${p.dot}NOT CONFINED: ${counted(open, 'session')}`, tone: 'warn' as const }]
            : []),
        ],
        ...shown.flatMap((fact) => factLines(p, fact)),
      ];
    }),
  ]);
}

function factLines(p: Page, { mark, time, what, why, unconfined: open }: Fact): readonly Line[] {
  const [label, tone] = open ? (['NOT CONFINED', 'warn'] as const) : [LABEL[mark], TONE[mark]];
  // As blame has it; programs get the id that is on record.
  const said = what.replace(/^merged, by ([^\s,]+)/, (_all, by: string) => `merged, by ${mergerText(by)}`);
  const text = `${time === undefined ? '' : `${time}  `}${said}: ${why}`;
  return p
    .lines(text.replace(/\s+/g, ' '), p.width - 5 - label.length)
    .map((line, at) => [{ text: at === 0 ? `  ${label}  ` : ' '.repeat(label.length + 4), tone }, { text: line }]);
}
