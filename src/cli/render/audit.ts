// How `liza audit` lays out its facts. Every word of them may be an agent's, so all pass the pen.

import type { Audit } from '../../audit/gather.ts';
import type { Fact, Mark } from '../../audit/rules/facts.ts';
import { type Line, type Pen, pen, type Tone } from './layout.ts';
import type { Look } from './terminal.ts';

const LABEL: Readonly<Record<Mark, string>> = { verified: 'ok', unverifiable: '?', contradicted: 'CONTRADICTED' };
const TONE: Readonly<Record<Mark, Tone>> = { verified: 'good', unverifiable: 'warn', contradicted: 'bad' };

/** `whole`: of many tasks only what is not verified, and how much is. */
export function renderAudit({ goal, tasks }: Audit, whole: boolean, look: Look): string {
  const p = pen(look);
  return p.print([
    [{ text: 'The goal', tone: 'strong' }],
    ...goal.flatMap((fact) => factLines(p, fact)),
    ...tasks.flatMap(({ task, facts }): readonly Line[] => {
      const shown = whole ? facts.filter(({ mark }) => mark !== 'verified') : facts;
      const ok = facts.filter(({ mark }) => mark === 'verified').length;
      return [
        [],
        [{ text: p.say(`${task.id}: ${task.description ?? ''}`), tone: 'strong' }],
        [{ text: `  ${task.status}${p.dot}${ok} of ${facts.length} facts verified`, tone: 'faint' }],
        ...shown.flatMap((fact) => factLines(p, fact)),
      ];
    }),
  ]);
}

function factLines(p: Pen, { mark, time, what, why }: Fact): readonly Line[] {
  const text = `${time === undefined ? '' : `${time}  `}${what}: ${why}`;
  return p
    .lines(text.replace(/\s+/g, ' '), p.width - 5 - LABEL[mark].length)
    .map((line, at) => [
      { text: at === 0 ? `  ${LABEL[mark]}  ` : ' '.repeat(LABEL[mark].length + 4), tone: TONE[mark] },
      { text: line },
    ]);
}
