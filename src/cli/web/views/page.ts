// The frame of every page: what it is called, the menu, one line on the goal, and its parts in order. Nothing on it runs
// from within the page: script and style are files of this server, and the policy refuses all others.

import { doneText } from '../../../report/status-view.ts';
import { counted } from '../../../text/format.ts';
import { FORM_WORD } from './forms.ts';
import { html, joined, type Markup } from './markup.ts';
import { countOf, needsOf } from './needs.ts';
import { type Part, part, type Seen, type View } from './view.ts';

export interface Files {
  readonly style: string;
  readonly script: string;
}

/** What sets the page apart from the same page for somebody else. */
export interface Frame {
  readonly files: Files;
  /** The page's own address below the base, with its query: what the script asks for news of. */
  readonly address: string;
  /** What the last form came to. */
  readonly said?: string;
}

const MENU = [
  ['now', 'Now'],
  ['board', 'Board'],
  ['queue', 'Queue'],
  ['agents', 'Agents'],
  ['account', 'Account of merges'],
  ['cost', 'Cost'],
  ['log', 'Alarms and log'],
] as const;

/** How many rows of long lists a page brings along; the others are loaded as somebody comes near. */
const FIRST_ROWS = 150;

export function pageOf(view: View, seen: Seen, { files, address, said }: Frame): string {
  const { goal } = seen.status;
  const from = Number(new URLSearchParams(address.split('?')[1]).get('from')) || 0;
  return html`${head(`${view.title} · ${goal.description.slice(0, 80)}`, files)}
<body data-base="${seen.base}" data-view="${address}" data-after="${seen.seq}" data-form="${FORM_WORD}">
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<div class="bar">
<p class="brand">Liza</p>
<nav aria-label="Pages"><ul>${MENU.map(([path, name]) => html`<li><a href="${seen.base}/${path}"${path === view.menu ? html` aria-current="page"` : undefined}>${name}${path === 'now' ? placed(needsPart(seen), 'span') : undefined}</a></li>`)}</ul></nav>
<div class="who">${seen.role === 'viewer' ? html`<span>You can look, not act.</span>` : undefined}<span id="link" class="link" role="status"></span><noscript>Times are UTC.</noscript> ${
    seen.role === 'viewer' ? undefined : html`<a href="${seen.base}/share">Share</a> `
  }<form method="post" action="${seen.base}/leave" class="leave"><input type="hidden" name="form" value="${FORM_WORD}"><button class="quiet">Sign out</button></form></div>
</div>
${placed(goalPart(seen), 'div')}
</header>
<main id="main" tabindex="-1">
<div id="said" class="told" role="status" aria-live="polite">${said}</div>
<h1>${view.title}</h1>
<div id="parts">
${joined(shownParts(view.parts, from, address))}</div>
${view.journal === undefined ? undefined : journalBox(view, seen)}
</main>
</body>
</html>
`.markup;
}

export const head = (title: string, files: Files): Markup => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files.style}">
<script src="${files.script}" defer></script>
</head>`;

/** `from`: the list at which a reader without script goes on. */
function shownParts(parts: readonly Part[], from: number, address: string): readonly Markup[] {
  let lists = 0;
  let rows = 0;
  return parts.map((one) => {
    if (one.rows === undefined) return placed(one);
    lists += 1;
    if (lists > from) rows += one.rows;
    if (lists > from && (rows <= FIRST_ROWS || lists === from + 1)) return placed(one);
    const path = address.split('?')[0] ?? '';
    const query = new URLSearchParams(address.split('?')[1]);
    query.set('from', String(lists - 1));
    return html`<section id="p-${one.id}" class="${one.className}" data-v="" data-rows="${one.rows}"><a href="${path}?${query.toString()}#p-${one.id}">${one.rows} more rows</a></section>
`;
  });
}

function placed(one: Part, element: 'section' | 'div' | 'span' = 'section'): Markup {
  const rows = one.rows === undefined ? undefined : html` data-rows="${one.rows}"`;
  const inner = html` id="p-${one.id}" class="${one.className}" data-v="${one.version}"${rows}>${one.html()}</`;
  if (element === 'span') return html`<span${inner}span>`;
  return element === 'div'
    ? html`<div${inner}div>`
    : html`<section${inner}section>
`;
}

/** Parts that every page has, outside its list of parts. */
export const commonParts = (seen: Seen): readonly Part[] => [needsPart(seen), goalPart(seen)];

function needsPart(seen: Seen): Part {
  const count = countOf(needsOf(seen));
  return part(
    'needs',
    html`${String(count)}<span class="sr"> things need a person</span>`,
    count === 0 ? 'count none-open' : 'count',
  );
}

function goalPart({ status, crew, hasCrew }: Seen): Part {
  const { goal, sprint, switches } = status;
  const progress = sprint.planned === 0 ? 'nothing planned yet' : doneText(sprint);
  const share = sprint.planned === 0 ? 0 : Math.round((100 * sprint.done) / sprint.planned);
  const facts = [
    progress,
    ...(goal.status === 'IN_PROGRESS' ? [] : [goal.status.toLowerCase()]),
    hasCrew
      ? `${counted(crew.members.filter(({ session }) => session !== undefined).length, 'agent')} at work`
      : 'no crew runs',
  ];
  return part(
    'goal',
    html`<p class="goal said">${goal.description}</p><svg class="meter" width="120" height="10" role="img" aria-label="${progress}"><rect class="track" width="120" height="10" rx="5"/><rect class="done" width="${String(1.2 * share)}" height="10" rx="5"/></svg><p class="facts">${facts.join(' · ')}</p>${switches.map(({ name }) => html`<p class="switch"><b>${name} is on</b></p>`)}`,
    'goalline',
  );
}

function journalBox({ journal = [] }: View, { base, seq }: Seen): Markup {
  const rows = journal.map(
    ({ seq: number, time, actor, command, task, detail }) =>
      html`<li data-seq="${String(number)}"><time datetime="${time}">${time.slice(11, 19)}</time> <b>${actor}</b> <span class="cmd">${command}</span> ${
        task === undefined ? undefined : html`<a href="${base}/task/${task}">${task}</a> `
      }<span class="said">${detail}</span></li>
`,
  );
  return html`<section class="card" aria-labelledby="journal-h"><h2 id="journal-h">What happens</h2><ol id="journal" class="journal" tabindex="0" aria-label="Journal, newest last" data-last="${String(journal.at(-1)?.seq ?? seq)}">
${rows}</ol></section>
`;
}
