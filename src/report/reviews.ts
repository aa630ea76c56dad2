// Rounds of review: for each task what was submitted, and what was said of it and why.

import { BY_HAND, byCriterion, isFlagged, type Shown } from '../protocol/review/approval-record.ts';
import { shownText } from '../protocol/review/shown-text.ts';
import { parseRejection } from '../protocol/review/verdict.ts';
import { counted } from '../text/format.ts';
import { clock } from './format.ts';
import { html, type Markup } from './markup.ts';
import type { Report, RoundTold, TaskStory } from './model.ts';
import { pill } from './state-styles.ts';

/** With more tasks than this, their rounds are folded away. */
const OPEN = 12;
/** With more verdicts than this, what blocks is told and the rest of a rejection is not. */
const WHOLE = 250;

interface Way {
  readonly report: Report;
  readonly whole: boolean;
}

export function reviews(report: Report): Markup {
  const { tasks, verdicts } = report;
  const judged = tasks.filter(({ rounds }) => rounds.length > 0);
  if (judged.length === 0) return html`<p>Nothing was submitted for review yet.</p>`;
  // Most rounds first: that is where the work was.
  const sorted = judged.toSorted((a, b) => b.rounds.length - a.rounds.length);
  return html`${sorted.map((task) => reviewsOf(task, sorted.length <= OPEN, { report, whole: verdicts.length <= WHOLE }))}`;
}

function reviewsOf({ id, status, rounds }: TaskStory, open: boolean, way: Way): Markup {
  const signs = rounds.flatMap(({ verdicts }) =>
    verdicts.map(
      ({ verdict }) =>
        html`<span class="${SHADE[verdict]}"><span aria-hidden="true">${SIGN[verdict]}</span><span class="sr"> ${WORD[verdict]} </span></span>`,
    ),
  );
  const inside = html`<summary><b class="id">${id}</b> ${counted(rounds.length, 'round')} ${signs} ${pill(status)}</summary><ol class="rounds">${rounds.map((one) => round(one, way))}</ol>`;
  return open
    ? html`<details open>${inside}</details>
`
    : html`<details>${inside}</details>
`;
}

const SIGN = { approved: '✓', rejected: '✕', integration_failed: '!' } as const;
const SHADE = { approved: 'yes', rejected: 'no', integration_failed: 'no' } as const;
const WORD = { approved: 'approved', rejected: 'rejected', integration_failed: 'not merged' } as const;

function round(
  { commit, by, time, iteration, verdicts, merged, files, undeclared }: RoundTold,
  { report, whole }: Way,
): Markup {
  const facts = [
    ...(time === undefined ? [] : [clock(time, report)]),
    ...(iteration === undefined ? [] : [`iteration ${iteration}`]),
    ...(files === undefined ? [] : [counted(files, 'file')]),
    ...(undeclared === 0 ? [] : [`${undeclared} of them not declared before`]),
    ...(merged ? ['this was merged'] : []),
  ];
  const said = verdicts.map(
    ({ verdict, by: judge, time: at, reason, shown = [], byHand, outside }) =>
      html`<div class="verdict-told ${SHADE[verdict]}"><b><span aria-hidden="true">${SIGN[verdict]}</span> ${WORD[verdict]}</b>${judge === undefined ? undefined : html` by ${judge}${byHand ? `, ${BY_HAND}` : ''}`} <time datetime="${at}">${clock(at, report)}</time>${reason === undefined ? undefined : reasonOf(reason, whole)}${shownList(shown)}${outside === undefined ? undefined : html`<div class="role">Flagged: the change does not touch ${outside.join('; nor ')}</div>`}</div>`,
  );
  return html`<li><div><code>${commit?.slice(0, 10) ?? 'a commit'}</code>${by === undefined ? undefined : html` by ${by}`} <span class="role">${facts.join(', ')}</span></div>${said.length === 0 ? html`<div class="verdict-told">No verdict yet.</div>` : said}</li>
`;
}

/** Each criterion and what shows it. */
function shownList(shown: readonly Shown[]): Markup | undefined {
  if (shown.length === 0) return undefined;
  const items = byCriterion(shown).map(
    ([{ n, criterion }, all]) => html`<li><span class="said">${n}. ${criterion}</span>${all.map(shownBy)}</li>`,
  );
  return html`<ul class="blockers">${items}</ul>`;
}

const shownBy = (one: Shown): Markup =>
  html`<br>${'→'} <span class="${isFlagged(one) ? 'no' : 'yes'}">${shownText(one)}</span>`;

/** What blocks comes first; the whole of a longer text can be opened. */
function reasonOf(reason: string, whole: boolean): Markup {
  const { blockers } = parseRejection(reason, false);
  if (blockers.length === 0) return html`<div class="said lines">${reason}</div>`;
  const items = blockers.map(
    ({ file, line, text }) => html`<li><code>${file}:${line}</code> <span class="said">${text}</span></li>`,
  );
  const rest = html`<details class="whole"><summary>The whole verdict</summary><div class="said lines">${reason}</div></details>`;
  return html`<ul class="blockers">${items}</ul>${whole ? rest : undefined}`;
}
