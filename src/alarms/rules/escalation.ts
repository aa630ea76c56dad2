// The text of `.liza/ESCALATION`, a file that exists while work has waited for hours for a person's decision: what waits,
// and the commands that let it go on.

import { findingLine, REPORT, triggerOf } from '../../governance/rules/breaker.ts';
import type { Board } from '../../protocol/board.ts';
import { openQuestions } from '../../protocol/messages/questions.ts';
import { gist, whole } from '../../text/format.ts';
import { type Instant, iso } from '../../text/time.ts';
import type { Alarm, AlarmName } from './alarm.ts';

const ESCALATED: ReadonlySet<AlarmName> = new Set(['CHECKPOINT STUCK', 'CHECKPOINT ABANDONED?', 'PAUSE FORGOTTEN']);
const MOST = 20;

/** The same text as long as nothing changes; undefined when nothing has to be escalated. */
export function escalation(board: Board, on: readonly Alarm[]): string | undefined {
  const why = on.filter(({ name }) => ESCALATED.has(name));
  if (why.length === 0) return undefined;
  const since = (name: 'CHECKPOINT' | 'PAUSE', at: Instant | undefined): readonly string[] =>
    at === undefined ? [] : [`${name} since ${iso(at)}`];
  const waits = waiting(board);
  const tripped = breaker(board);
  return `${[
    ...why.map(({ text }) => text),
    ...since('CHECKPOINT', board.switches.CHECKPOINT),
    ...since('PAUSE', board.switches.PAUSE),
    ...(tripped.length === 0 ? [] : ['', ...tripped]),
    '',
    `No work starts until you decide: liza resume continues${tripped.length === 0 ? '' : ' then'}, liza abort ends it, liza status shows the board.`,
    ...(waits.length === 0 ? [] : ['', 'Waiting for an answer:', ...waits]),
  ].join('\n')}\n`;
}

/** Resuming waits for its resolution, so that comes first. */
function breaker({ state: { circuit_breaker } }: Board): readonly string[] {
  if (circuit_breaker.status !== 'TRIGGERED') return [];
  const findings = triggerOf(circuit_breaker.current_trigger)?.findings ?? [];
  return [
    'The circuit breaker is TRIGGERED:',
    ...findings.map((one) => `- ${gist(findingLine(one))}`),
    `Read ${REPORT}, then: liza analyze --resolve "…"`,
  ];
}

function waiting({ state }: Board): readonly string[] {
  const blocked = state.tasks.filter(({ status }) => status === 'BLOCKED');
  const lines = blocked
    .slice(0, MOST)
    .flatMap((task) => [
      `- ${task.id}: ${gist(task.blocked_reason ?? 'no reason given')}`,
      ...(task.blocked_questions ?? []).map((question) => `  ? ${whole(question)}`),
    ]);
  const further = blocked.length > MOST ? [`- and ${blocked.length - MOST} more`] : [];
  const asked = openQuestions(state)
    .filter(({ assume }) => assume !== undefined)
    .map(({ id, text }) => `- ${id}: ${whole(text)}`);
  return [...asked, ...lines, ...further];
}
