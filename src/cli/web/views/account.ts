// The account: for each merged commit who wrote it, who approved it and on what evidence; and whether the record behind
// that holds. A page for one task lists every fact with what bears it out.

import type { Fact } from '../../../audit/rules/facts.ts';
import { shownText } from '../../../protocol/review/shown-text.ts';
import type { Task } from '../../../protocol/state.ts';
import { isFields } from '../../../protocol/values.ts';
import { whole } from '../../../text/format.ts';
import { provenanceOf } from '../../render/blame.ts';
import { diffText } from '../../render/diff-facts.ts';
import { html, type Markup, moment } from './markup.ts';
import { taskLink } from './now.ts';
import { versionOf } from './version.ts';
import { type Part, part, type Seen, type View } from './view.ts';

/** What the chain of the journal came to, when it was last followed. */
export interface Chain {
  readonly entries: number;
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

export interface Merge {
  readonly task: Task;
  readonly commit: string;
  readonly time: string;
  /** The commit that was reviewed. */
  readonly reviewed?: string | undefined;
}

/** `typed`: a commit, or the beginning of one, or a word of the task. */
export function accountView(seen: Seen, merges: readonly Merge[], chain: Chain, typed: string): View {
  const sought = typed.trim().toLowerCase();
  const found = merges.filter((merge) => isSought(merge, sought));
  const begun = merges.filter((merge) => isBegun(merge, sought)).length;
  return {
    title: 'Account of merges',
    menu: 'account',
    parts: [
      part('chain', chainMarkup(chain), chain.problems.length === 0 ? 'card' : 'card need alarm'),
      ...(merges.length === 0 ? [part('none', html`<p>Nothing is merged yet.</p>`, 'card calm')] : []),
      ...(merges.length === 0 ? [] : [part('filter', soughtForm(seen, typed), 'filter')]),
      ...(begun > 1
        ? [
            part(
              'many',
              html`<p>${String(begun)} merges have a commit that begins so: more digits tell them apart.</p>`,
              'filter',
            ),
          ]
        : []),
      ...(merges.length > 0 && found.length === 0
        ? [
            part(
              'none',
              html`<p>No merged task has ${/^[0-9a-f]{1,3}$/.test(sought) ? 'these words; a commit is found by 4 of its first digits or more' : 'this commit or these words'}. <a href="${seen.base}/account">All merges</a>; other commits in a terminal: <code>liza blame &lt;commit&gt;</code></p>`,
            ),
          ]
        : []),
      ...found.map((merge) => mergePart(seen, merge)),
    ],
  };
}

const isBegun = ({ commit, reviewed = '' }: Merge, sought: string): boolean =>
  /^[0-9a-f]{4,64}$/.test(sought) && [commit, reviewed].some((one) => one.startsWith(sought));

function isSought(merge: Merge, sought: string): boolean {
  if (isBegun(merge, sought)) return true;
  const { task, reviewed = '' } = merge;
  const { authors, planned_by = '', rounds } = provenanceOf(task, reviewed);
  const verdicts = rounds.flatMap((round) => round.verdicts);
  const shown = verdicts.flatMap(({ by = '', shown: all = [] }) => [by, ...all.map(shownText)]);
  const words = [task.id, task.description ?? '', task.done_when ?? '', ...authors, planned_by, ...shown];
  return words.join(' ').toLowerCase().includes(sought);
}

const soughtForm = ({ base }: Seen, sought: string): Markup =>
  html`<form method="get" action="${base}/account" role="search" class="find"><label for="words">Who stands behind a commit, or a task</label><input id="words" name="q" type="search" maxlength="200" value="${sought}"><button class="quiet">Show</button>${sought === '' ? undefined : html` <a href="${base}/account">Show all</a>`}</form>`;

const chainMarkup = ({ entries, problems, remarks }: Chain): Markup =>
  problems.length === 0
    ? html`<h2><span class="tag yes">The chain holds</span></h2><p>${String(entries)} entries of the journal, each with the hash of the one before: none was changed or taken out afterwards, unless all behind it were written anew.${remarks.length === 0 ? undefined : html` <span class="said">${remarks.join('; ')}.</span>`}</p>`
    : html`<h2><span class="tag no">The chain is broken</span></h2><ul>${problems.map((problem) => html`<li class="said">${problem}</li>`)}</ul><p>In a terminal: <code>liza log verify</code></p>`;

function mergePart(seen: Seen, { task, commit, time, reviewed }: Merge, isAlone = false): Part {
  const { authors, planned_by, iterations, rounds, unconfined } = provenanceOf(task, reviewed);
  const approvals =
    rounds.findLast(({ merged }) => merged)?.verdicts.filter(({ verdict }) => verdict === 'approved') ?? [];
  const evidence = new Map<string, string[]>();
  for (const one of approvals.flatMap(({ shown = [] }) => shown))
    evidence.set(one.criterion, [...(evidence.get(one.criterion) ?? []), whole(shownText(one))]);
  const last = rounds.findLastIndex((round) => round.merged) + 1;
  return part(
    `m-${versionOf(`${task.id}${commit}`)}`,
    html`<h2>${taskLink(seen, task.id)} <code>${commit.slice(0, 12)}</code> <span class="meta">${moment(time)}</span></h2>
<p class="said">${task.description ?? ''}</p>
<dl class="short"><dt>Written by</dt><dd>${authors.join(', ') || 'not recorded'}</dd><dt>Approved by</dt><dd>${approvals.map(({ by }) => by ?? 'somebody').join(', ') || task.approved_by || 'not recorded'}</dd>${reviewed === undefined ? undefined : html`<dt>Reviewed commit</dt><dd><code>${reviewed.slice(0, 12)}</code>${last === 0 ? undefined : html` <a href="${seen.base}/task/${task.id}/diff/${String(last)}">what it changes<span class="sr">, ${task.id}</span></a>`}${reviewed === commit ? undefined : html`<div class="hint">With what had landed before it, Liza merged it as ${commit.slice(0, 12)}</div>`}</dd>`}<dt>Planned by</dt><dd>${planned_by ?? 'a person'}</dd><dt>Rounds</dt><dd>${String(rounds.length)}, in ${String(iterations)} ${iterations === 1 ? 'iteration' : 'iterations'}</dd>${unconfined.length === 0 ? undefined : html`<dt>No sandbox</dt><dd class="no">${unconfined.join(', ')}</dd>`}</dl>${
      evidence.size === 0
        ? html`<p class="none">No evidence is named for its criteria.</p>`
        : html`<ul class="evidence">${[...evidence].map(([criterion, all]) => html`<li class="said">${criterion}<ul>${all.map((one) => html`<li class="said yes">${one}</li>`)}</ul></li>`)}</ul>`
    }${isAlone ? undefined : html`<p><a href="${seen.base}/account/${task.id}">Every fact on it, checked<span class="sr"> for ${task.id}</span></a></p>`}`,
  );
}

/** Who looks, looks for those that do not hold. */
const ORDER = ['contradicted', 'unverifiable', 'verified'] as const;
const MARKS = { verified: 'ok', unverifiable: '?', contradicted: 'CONTRADICTED' } as const;

export function factsView(seen: Seen, task: Task, facts: readonly Fact[], merge: Merge | undefined): View {
  const wrong = facts.filter(({ mark }) => mark === 'contradicted').length;
  const open = facts.filter(({ mark }) => mark === 'unverifiable').length;
  return {
    title: `Account of ${task.id}`,
    menu: 'account',
    parts: [
      part(
        'sum',
        html`<p><span class="tag ${wrong === 0 ? 'yes' : 'no'}">${wrong === 0 ? 'Nothing is contradicted' : `${wrong} contradicted`}</span> ${String(facts.length - wrong - open)} facts verified against journal and git${open === 0 ? '' : `, ${open} cannot be (marked ?, first in the list)`}. ${taskLink(seen, task.id)}</p>`,
        wrong === 0 ? 'card' : 'card need alarm',
      ),
      ...(merge === undefined ? [] : [mergePart(seen, merge, true), part('evidence', evidenceMarkup(merge))]),
      part(
        'facts',
        html`<h2>Every fact</h2><ul class="facts-list">${[
          ...ORDER.flatMap((mark) => facts.filter((fact) => fact.mark === mark)),
        ].map(
          ({ time, what, mark, why }) =>
            html`<li><span class="tag ${mark === 'verified' ? 'yes' : mark === 'contradicted' ? 'no' : ''}">${MARKS[mark]}</span> ${time === undefined ? undefined : moment(time)} <span class="said">${what}</span> <span class="meta said">${why}</span></li>`,
        )}</ul>`,
      ),
    ],
  };
}

function evidenceMarkup({ task, reviewed }: Merge): Markup {
  const { checkpoint, diff, validation, proof } = provenanceOf(task, reviewed).evidence;
  const row = (name: string, text: unknown): Markup =>
    typeof text === 'string' && text !== '' ? html`<dt>${name}</dt><dd class="said lines">${text}</dd>` : html``;
  return html`<h2>What it rests on</h2><dl>${row('Reviewed commit', reviewed)}${row('Intent', checkpoint?.['intent'])}${row('Validation', validation.join('\n'))}${row('Run by Liza', proof)}${row('Diff', isFields(diff) ? diffText(diff) : undefined)}</dl>`;
}
