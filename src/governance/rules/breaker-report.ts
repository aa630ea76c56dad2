// What a tripped circuit breaker tells the person who has to look: the evidence, whom it touches, a checklist of
// questions. It proposes nothing: what follows from it is theirs.

import { type State, settings } from '../../protocol/state.ts';
import { inlineText, document as markdown } from '../../text/markdown.ts';
import { type Finding, PATTERNS, type PatternName, patternNames, type Trigger, triggerOf } from './breaker.ts';

/** The report of the current trigger; of the last one when it is resolved; undefined: it never tripped. */
export function breakerReport(state: State): string | undefined {
  const { status, current_trigger, history = [] } = state.circuit_breaker;
  const last = history.at(-1);
  const trigger = triggerOf(status === 'TRIGGERED' ? current_trigger : last);
  if (trigger === undefined) return undefined;
  const resolved = status === 'TRIGGERED' ? undefined : (last as Resolved);
  return markdown(
    `Circuit breaker: ${patternNames(trigger.findings).join(', ')}`,
    [
      `- Status: ${resolved === undefined ? 'TRIGGERED, work is halted' : 'resolved'}`,
      `- Tripped: ${trigger.time} by ${inlineText(trigger.by)}, in ${state.sprint.id}`,
      ...(resolved === undefined
        ? []
        : [
            `- Resolved: ${inlineText(String(resolved.resolved_at))} by ${inlineText(String(resolved.resolved_by))}: ${inlineText(String(resolved.resolution), 2000)}`,
          ]),
    ],
    [
      ...trigger.findings.map((one) => [heading(one), evidenceLines(one)] as const),
      ['Affected tasks', affectedTasks(state, trigger)],
      ['Affected specs', affectedSpecs(trigger)],
      ['For you to check', checklist(state, trigger)],
    ],
  );
}

interface Resolved {
  readonly resolution?: unknown;
  readonly resolved_at?: unknown;
  readonly resolved_by?: unknown;
}

const heading = ({ pattern, flaw }: Finding): string => `${pattern}: ${flaw}`;

function evidenceLines({ pattern, matched, evidence }: Finding): readonly string[] {
  const { about, count } = PATTERNS[pattern];
  const told = evidence.map(({ key, source, task, by, time, said, likeness }) => {
    const where = [task, by, time].filter((one) => one !== undefined).join(', ');
    const near = likeness === undefined ? '' : likeness === 100 ? ' (same)' : ` (${likeness} % alike)`;
    return `- ${inlineText(source)} ${inlineText(key)}${where === '' ? '' : ` (${inlineText(where)})`}: ${inlineText(said)}${near}`;
  });
  return [
    `In this sprint ${about}: ${evidence.length} times, and ${count} trip it. What matched: ${inlineText(matched)}`,
    '',
    ...told,
  ];
}

function affectedTasks(state: State, { findings }: Trigger): readonly string[] {
  const ids = [...new Set(findings.flatMap(({ tasks }) => tasks))];
  return ids.map((id) => {
    const task = state.tasks.find((one) => one.id === id);
    return `- ${id}: ${task === undefined ? 'archived' : task.status} (\`liza show ${id}\`)`;
  });
}

const affectedSpecs = ({ findings }: Trigger): readonly string[] =>
  [...new Set(findings.flatMap(({ specs }) => specs))].map((spec) => `- ${inlineText(spec)}`);

const ASKED: Readonly<Record<PatternName, readonly string[]>> = {
  retry_cluster: [
    'Do these attempts fail for one reason, or do they only sound alike?',
    'Is that reason within the scope of any of these tasks?',
  ],
  debt_accumulation: [
    'Which of these debts will the next task have to pay?',
    'Does the goal leave time to do it properly?',
  ],
  assumption_cascade: ['What does the spec say about it, and where?', 'Who else relies on the assumption?'],
  workaround_pattern: [
    'Where is the root cause, and who owns that code?',
    'Which merged work contains the workaround?',
  ],
  spec_gap_cluster: [
    'Which of these questions does the spec answer for another reader?',
    'Which need a decision by you?',
  ],
  external_service_outage: [
    'Is the service down, or out of reach only for the agents (network, account, quota)?',
    'Which tasks can continue without it?',
  ],
};

function checklist(state: State, { findings }: Trigger): readonly string[] {
  const { integration_branch } = settings(state);
  return [
    '- [ ] I read the evidence above and looked at the tasks it names.',
    ...patternNames(findings).flatMap((pattern) => ASKED[pattern].map((question) => `- [ ] ${question}`)),
    `- [ ] What is already merged on ${inlineText(integration_branch)} and depends on this?`,
    '- [ ] I recorded what I decided: `liza analyze --resolve "…"`',
    '- [ ] I let the work continue, or ended it: `liza resume --decision continue|adjust-specs|replan|stop`',
  ];
}
