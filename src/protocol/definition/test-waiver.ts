// An answer that frees a coder from the test. Nobody's word does: the submission is refused as before, and the coder is
// back with the same question. So it is refused where it is given, with what leads on.

import { gist } from '../../text/format.ts';
import { type Refusal, refuse } from '../decision.ts';
import { forbidsTests, parseScope, testPatterns } from '../facts/scope.ts';
import { historyOf } from '../leases.ts';
import { settings, type Task } from '../state.ts';
import type { Judged } from './definition.ts';

/** The least that counts as one, for whoever says that none is possible. */
export const SMALLEST_TEST =
  'the smallest test is a file that runs what changed, or the command that shows it, and fails if that fails';

/** `task`: as it would be; `said`: what goes to the coder with it. */
export function checkTestWaiver(by: Judged, task: Task, said: readonly string[]): Refusal | undefined {
  if ((task.type ?? 'code') !== 'code') return undefined;
  const { reason, questions } = lastBlock(task);
  const asked = [reason, ...questions];
  if (!asked.some((text) => /\btests?\b/i.test(text))) return undefined;
  const isAsked = questions.some(waives);
  const waiver = said.find((text) => waives(text) || (isAsked && YES.test(text)));
  if (waiver === undefined) return undefined;
  const patterns = testPatterns(settings(by.board.state));
  const place = forbidsTests(parseScope(task.scope ?? ''), patterns)
    ? ', and let it in: --scope "IN: …, <its test file>"'
    : '';
  return refuse(
    `nobody’s word frees a code task from its test (“${gist(waiver)}”): its coder would be refused again at submit-for-review`,
    `Say which test is enough (${SMALLEST_TEST}; these count: ${patterns.join(', ')})${place}; if no code changes, --type docs or config${by.part === 'human' ? '; or have other files count as tests: liza config set test_patterns "…"' : '; otherwise leave it BLOCKED for a person'}`,
    1,
    'tests-with-code',
  );
}

function lastBlock(task: Task): { readonly reason: string; readonly questions: readonly string[] } {
  const last = historyOf(task).findLast(({ event }) => event === 'blocked');
  const asked = Array.isArray(last?.questions) ? last.questions.map(String) : [];
  return {
    reason: task.blocked_reason ?? String(last?.reason ?? ''),
    questions: [...asked, ...(task.blocked_questions ?? [])],
  };
}

const YES = /^\W*(?:yes|yeah|ok|okay|sure|agreed|accepted|approved|fine|go ahead|do so|you may|please do)\b/i;

const TEST = String.raw`(?:an? |any |its |the |new |unit |automated )*tests?\b(?![ -](?:file|suite|runner|data|fixture|framework|command|dependenc))`;
const WAIVERS: readonly RegExp[] = [
  new RegExp(String.raw`(?<!\bnot |never |nothing )\bwithout ${TEST}`, 'i'),
  new RegExp(String.raw`\b(?:needs?|requires?|demands?) no ${TEST}`, 'i'),
  new RegExp(String.raw`\bno ${TEST} (?:is|are)? ?(?:needed|necessary|required|possible|demanded)`, 'i'),
  new RegExp(
    String.raw`\b(?:do|does|need|can|must|is|are)(?: not|n[\u2019']t|not) (?:need|require|have to (?:write|add|have)|be tested|write|add) ?(?:${TEST})?`,
    'i',
  ),
  new RegExp(
    String.raw`(?<!\bnot |n[\u2019']t |never )\b(?:skip|omit|waive|leave out|drop) ${TEST}(?: rule| requirement| here)?\W*(?:$|for this|here)`,
    'i',
  ),
];

/** Whether it says, or asks, that there be no test. */
const waives = (text: string): boolean => /\btest/i.test(text) && WAIVERS.some((form) => form.test(text));
