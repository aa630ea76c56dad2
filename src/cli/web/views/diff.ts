// What one round of a task changes, old and new side by side; on a phone one below the other. A person can leave the coder
// a note on any line of the new text. Reads git's unified diff; linear in its length, and what is too long is left out
// and said to be.

import type { Round } from '../../../protocol/work/task-history.ts';
import { shellWord } from '../../../text/format.ts';
import { asMarkup, html, type Markup, moment, NOTHING } from './markup.ts';
import { versionOf } from './version.ts';
import { part, type Seen, type View } from './view.ts';

export interface Side {
  readonly at: number;
  readonly text: string;
}

interface DiffRow {
  readonly old?: Side;
  readonly new?: Side;
}

interface FileDiff {
  readonly path: string;
  /** `new`, `deleted`, `renamed from a.ts`, `binary`. */
  readonly what: readonly string[];
  readonly hunks: readonly { readonly head: string; readonly rows: readonly DiffRow[] }[];
}

/** `src/app.ts:12`, as reviewers name a line. */
const PLACE = /([\w@+-][\w./@+-]*):(\d{1,7})/;
export const namesLine = (text: string): boolean => PLACE.test(text);

const placeId = (path: string, line: number | string): string => `l-${versionOf(path)}-${line}`;

/** Lines of the new text that a diff shows: `src/app.ts:12`. */
export const linesIn = (files: readonly FileDiff[]): ReadonlySet<string> =>
  new Set(
    files.flatMap(({ path, hunks }) =>
      hunks.flatMap(({ rows }) => rows.flatMap((row) => (row.new === undefined ? [] : [`${path}:${row.new.at}`]))),
    ),
  );

/** What a reviewer said; a line that the diff has is a link to it. `diff`: the address of its page, empty on that page. */
export function reasonMarkup(reason: string, diff: string, lines: ReadonlySet<string>): Markup {
  const words = reason.split(new RegExp(PLACE, 'g'));
  const parts = words.map((text, at) => {
    const [path = '', line = ''] = [words[at - 1], text];
    if (at % 3 === 0) return html`${text}`;
    if (at % 3 === 1) return NOTHING;
    return lines.has(`${path}:${line}`)
      ? html`<a href="${diff}#${placeId(path, line)}">${path}:${line}</a>`
      : html`${path}:${line}`;
  });
  return html`<div class="said lines">${parts}</div>`;
}

const MOST_ROWS = 4000;
const LONGEST_LINE = 500;

export function readSideBySide(unified: string): readonly FileDiff[] {
  const files: { path: string; what: string[]; hunks: { head: string; rows: DiffRow[] }[] }[] = [];
  let file: (typeof files)[number] | undefined;
  let hunk: { head: string; rows: DiffRow[] } | undefined;
  let [before, after, left, right] = [0, 0, 0, 0];
  let gone: Side[] = [];
  let came: Side[] = [];
  const flush = (): void => {
    for (let at = 0; at < Math.max(gone.length, came.length); at += 1) {
      const [one, other] = [gone[at], came[at]];
      hunk?.rows.push({ ...(one === undefined ? {} : { old: one }), ...(other === undefined ? {} : { new: other }) });
    }
    [gone, came] = [[], []];
  };
  for (const line of unified.split('\n')) {
    // Within a hunk the counts say how far it goes: a line of text may look like a header.
    if (hunk !== undefined && (left > 0 || right > 0)) {
      const text = line.slice(1);
      if (line.startsWith('-')) {
        gone.push({ at: before++, text });
        left -= 1;
      } else if (line.startsWith('+')) {
        came.push({ at: after++, text });
        right -= 1;
      } else if (!line.startsWith('\\')) {
        flush();
        hunk.rows.push({ old: { at: before++, text }, new: { at: after++, text } });
        left -= 1;
        right -= 1;
      }
      if (left <= 0 && right <= 0) flush();
      continue;
    }
    if (line.startsWith('diff --git ')) {
      hunk = undefined;
      file = { path: pathIn(line), what: [], hunks: [] };
      files.push(file);
    } else if (line.startsWith('@@ ') && file !== undefined) {
      const [, from = '0', many = '1', to = '0', most = '1'] =
        /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
      [before, after, left, right] = [Number(from), Number(to), Number(many), Number(most)];
      hunk = { head: line, rows: [] };
      file.hunks.push(hunk);
    } else if (file !== undefined) {
      const told = WHAT.find(([start]) => line.startsWith(start));
      if (told !== undefined) file.what.push(told[1] === '' ? line : `${told[1]}${line.slice(told[0].length)}`);
      if (line.startsWith('+++ ') && !line.startsWith('+++ /dev/null')) file.path = unquoted(line.slice(4));
    }
  }
  return files;
}

const WHAT: readonly (readonly [string, string])[] = [
  ['new file mode 100644', 'new'],
  ['new file mode ', 'new, mode '],
  ['deleted file mode ', 'deleted, mode '],
  ['rename from ', 'renamed from '],
  ['old mode ', 'mode was '],
  ['new mode ', 'mode is '],
  ['Binary files ', ''],
];

/** The name behind `b/`; of a name with a blank and `b/` in it the `+++` line tells better. */
const pathIn = (line: string): string => unquoted(line.slice(line.lastIndexOf(' b/') + 1));
const unquoted = (name: string): string => name.replace(/^("?)[ab]\//, '$1').replace(/\t$/, '');

export const VERDICT = { approved: 'Approved', rejected: 'Rejected', integration_failed: 'Not merged' } as const;

export interface DiffShown {
  readonly task: string;
  readonly round: number;
  readonly from: string;
  readonly to: string;
  /** Only what changed since the round before. */
  readonly isStep: boolean;
  readonly rounds: number;
  readonly files: readonly FileDiff[];
  /** Why there is nothing to show. */
  readonly problem?: string;
  readonly mayNote: boolean;
  /** What was said of this round. */
  readonly verdicts: Round['verdicts'];
}

export function diffView(seen: Seen, shown: DiffShown): View {
  const { task, round, from, to, rounds, files, problem, isStep, verdicts, mayNote } = shown;
  let room = MOST_ROWS;
  const parts = files.map((file) => {
    const rows = file.hunks.reduce((sum, hunk) => sum + hunk.rows.length, 0);
    const fits = rows <= room;
    if (fits) room -= rows;
    return part(`d-${versionOf(file.path)}`, fileMarkup(seen, shown, file, fits ? undefined : rows), 'card diff');
  });
  const link = (to: string, name: string): Markup => html` <a href="${seen.base}/task/${task}/diff/${to}">${name}</a>`;
  const added = files
    .flatMap(({ hunks }) => hunks.flatMap(({ rows }) => rows))
    .filter((row) => row.new !== undefined && (row.old === undefined || row.old.text !== row.new.text)).length;
  return {
    title: `${task}, round ${round}`,
    menu: 'board',
    parts: [
      part(
        'top',
        html`<p><a class="id" href="${seen.base}/task/${task}">${task}</a> &middot; <code>${from.slice(0, 12)}..${to}</code></p><p>${isStep ? 'What changed since the round before.' : 'All that it changes.'} ${String(files.length)} ${files.length === 1 ? 'file' : 'files'}, ${String(added)} lines new or changed.${
          round > 1
            ? isStep
              ? link(String(round), 'All that it changes')
              : link(`${round}?step=1`, 'Only what changed since the round before')
            : undefined
        }</p><p>${Array.from({ length: rounds }, (_, at) => at + 1)
          .filter((n) => n !== round)
          .slice(-20)
          .map((n) =>
            n === round + 1 ? link(`${n}?step=1`, `What round ${n} changed since`) : link(String(n), `Round ${n}`),
          )}</p>${verdicts.map(
          ({ verdict, by, time, reason }) =>
            html`<div class="verdict-told ${verdict === 'approved' ? 'yes' : 'no'}"><b>${VERDICT[verdict]}</b> by ${by ?? 'somebody'}, ${moment(time)}${reason === undefined || reason === '' ? undefined : reasonMarkup(reason, '', linesIn(files))}</div>`,
        )}${mayNote ? html`<p class="hint">A line&rsquo;s number opens a note to the coder on that line.</p>` : undefined}${problem === undefined ? undefined : html`<p class="no">${problem}</p>`}`,
        'card',
      ),
      ...parts,
    ],
  };
}

function fileMarkup(
  seen: Seen,
  shown: DiffShown,
  { path, what, hunks }: FileDiff,
  tooLong: number | undefined,
): Markup {
  const head = html`<h2 class="path">${path}${what.length === 0 ? undefined : html` <span class="meta">${what.join(', ')}</span>`}</h2>`;
  if (tooLong !== undefined)
    return html`${head}<p>${String(tooLong)} lines, too many for this page: <code>git diff ${shown.from.slice(0, 12)} ${shown.to.slice(0, 12)} -- ${shellWord(path)}</code></p>`;
  const side = oneSided(hunks);
  const rows = hunks.flatMap(({ head: title, rows: all }) => [
    html`<tr class="at"><td colspan="${side === '' ? 4 : 2}">${title}</td></tr>
`,
    ...all.map((row) => rowMarkup(seen, shown, path, row)),
  ]);
  if (rows.length === 0) return head;
  return html`${head}<div class="scroll" tabindex="0" role="region" aria-label="${path}, old and new"><table class="sides${side}"><caption class="sr">${path}, old and new</caption><colgroup><col class="n"><col><col class="n"><col></colgroup><thead class="sr"><tr><th scope="col">Old line</th><th scope="col">Old text</th><th scope="col">New line</th><th scope="col">New text</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** A file that is new or gone has one side: it gets all the room. */
function oneSided(hunks: FileDiff['hunks']): string {
  const all = hunks.flatMap(({ rows }) => rows);
  if (all.every((row) => row.old === undefined)) return ' only-new';
  return all.every((row) => row.new === undefined) ? ' only-old' : '';
}

function rowMarkup(
  { base }: Seen,
  { task, round, mayNote }: DiffShown,
  path: string,
  { old, new: now }: DiffRow,
): Markup {
  const same = old !== undefined && now !== undefined && old.text === now.text;
  const cell = (side: Side | undefined, kind: string): Markup =>
    side === undefined
      ? html`<td class="blank"></td>`
      : html`<td class="code${same ? '' : ` ${kind}`}">${same ? undefined : html`<span class="sr">${kind === 'went' ? 'removed: ' : 'added: '}</span>`}${cut(side.text)}</td>`;
  const number =
    now === undefined
      ? html`<td class="line"></td>`
      : mayNote
        ? html`<td class="line"><a href="${base}/note?task=${task}&round=${String(round)}&line=${String(now.at)}&file=${encodeURIComponent(path)}" aria-label="Note on line ${String(now.at)}">${String(now.at)}</a></td>`
        : html`<td class="line">${String(now.at)}</td>`;
  const id = now === undefined ? undefined : html` id="${placeId(path, now.at)}"`;
  return html`<tr${id}${same ? html` class="same"` : undefined}><td class="line">${old === undefined ? '' : String(old.at)}</td>${cell(old, 'went')}${number}${cell(now, 'came')}</tr>
`;
}

const cut = (text: string): Markup =>
  text.length > LONGEST_LINE ? html`${text.slice(0, LONGEST_LINE)}${asMarkup(' <i>&hellip;</i>')}` : html`${text}`;
