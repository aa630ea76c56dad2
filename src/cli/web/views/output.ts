// What one session of an agent printed, as it grows: whole lines, in lists that never change once they are full.

import { readable } from '../../live/pages.ts';
import { html, type Markup } from './markup.ts';
import { type Part, part, type Seen, type View } from './view.ts';

export interface Output {
  readonly file: string;
  readonly agent: string;
  readonly task?: string | undefined;
  /** The number of the first line below; what came before is not shown. */
  readonly first: number;
  readonly lines: readonly string[];
}

const LINES = 40;
const LONGEST = 2000;

/** Most agents print an event a line, as JSON. */
export const toRead = (line: string): string => {
  const text = readable(line);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

export function outputView({ base }: Seen, { file, agent, task, first, lines }: Output): View {
  const lists: Part[] = [];
  for (let at = 0; at < lines.length; ) {
    // Lists begin at round numbers, wherever the end of the file that is read begins.
    const begin = first + at;
    const size = LINES - (begin % LINES);
    lists.push(listPart(begin, lines.slice(at, at + size)));
    at += size;
  }
  return {
    title: `Output of ${agent}`,
    menu: 'agents',
    prints: true,
    parts: [
      part(
        'top',
        html`<p>${task === undefined ? undefined : html`<a class="id" href="${base}/task/${task}">${task}</a> &middot; `}<code>${file}</code></p>${first > 0 ? html`<p class="meta">The end of it; all of it is in <code>.liza/agent-logs/</code>.</p>` : undefined}${lines.length === 0 ? html`<p>It has printed nothing yet.</p>` : html`<p><a href="#p-end">To the end</a></p>`}`,
        'card',
      ),
      ...lists,
      ...(lines.length === 0 ? [] : [part('end', html`<p><a href="#main">To the top</a></p>`, 'filter')]),
    ],
  };
}

const listPart = (begin: number, lines: readonly string[]): Part =>
  part(
    `l-${begin}`,
    html`<pre class="out">${lines.map(
      (line): Markup => html`${toRead(line)}
`,
    )}</pre>`,
    'outlist',
  );
