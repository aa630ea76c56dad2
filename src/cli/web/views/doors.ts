// The pages around the others: how a person comes in, links for further browsers, what is asked before something is done,
// and what could not be done.

import { findTask } from '../../../protocol/find.ts';
import { isTerminal } from '../../../protocol/state.ts';
import { stateWord } from '../../../report/format.ts';
import type { JournalEntry } from '../../../store/store.ts';
import { actionForm, confirmForm, FORM_WORD, type Wanted } from './forms.ts';
import { html, moment } from './markup.ts';
import { type Files, head } from './page.ts';
import { part, type Seen, type View } from './view.ts';

/** Without script the code is typed; with it, the page takes it from behind the # of the link, which no server sees. */
export const loginPage = (files: Files, problem?: string): string =>
  html`${head('Liza', files)}
<body class="door">
<main id="main">
<h1>Liza</h1>
${problem === undefined ? undefined : html`<p class="card alarm" role="alert">${problem}</p>`}
<form method="post" action="/login" class="card act" id="login">
<label for="code">The code from your terminal</label>
<input id="code" name="code" autocomplete="off" autocapitalize="none" spellcheck="false" required maxlength="40" placeholder="xxxx-xxxx-xxxx-xxxx">
<button>Open the dashboard</button>
<p class="hint">A code is good for one browser. Press Enter where <code>liza dashboard</code> runs for another one.</p>
</form>
</main>
</body>
</html>
`.markup;

/** Another site led here, so that the browser kept its cookie back. */
export const comeInPage = (files: Files, address: string): string =>
  html`${head('Liza', files)}
<body class="door"><main id="main"><h1>Liza</h1><p class="card">You come from another page. <a href="${address}">Go on to the dashboard</a></p></main></body>
</html>
`.markup;

export const problemPage = (files: Files, base: string, title: string, text: string): string =>
  html`${head(title, files)}
<body class="door"><main id="main"><h1>${title}</h1><div class="card"><p class="said lines">${text}</p><p><a href="${base}/now">What needs you now</a></p></div></main></body>
</html>
`.markup;

export function shareView({ base }: Seen, made: { readonly link: string; readonly role: string } | undefined): View {
  return {
    title: 'Share',
    menu: '',
    parts: [
      ...(made === undefined
        ? []
        : [
            part(
              'made',
              html`<h2>A link for ${made.role === 'viewer' ? 'somebody who looks' : 'another browser of yours'}</h2><p><code class="whole">${made.link}</code></p><p>It is good once, and for an hour.</p>`,
              'card need',
            ),
          ]),
      part(
        'make',
        html`<h2>Let another browser in</h2><div class="acts"><form method="post" action="${base}/share" class="act"><input type="hidden" name="form" value="${FORM_WORD}"><input type="hidden" name="role" value="viewer"><button>Link for a viewer</button><span class="hint">sees every page, and can do nothing</span></form><form method="post" action="${base}/share" class="act"><input type="hidden" name="form" value="${FORM_WORD}"><input type="hidden" name="role" value="operator"><button class="careful">Link for yourself</button><span class="hint">acts as you: on your phone, in another browser</span></form></div>`,
      ),
    ],
  };
}

/** What happened since the page was written, to what the person was about to decide. */
export function newsView(seen: Seen, wanted: Wanted, entries: readonly JournalEntry[]): View {
  const action = seen.actionsFor(wanted.subject).find(({ name }) => name === wanted.action);
  const news =
    entries.length === 0
      ? html`<p>It is not as you saw it any more.</p>`
      : html`<ul>${entries.map(({ time, actor, command, detail }) => html`<li>${moment(time)} <b>${actor}</b> ${command}: <span class="said">${detail}</span></li>`)}</ul>`;
  return {
    title: 'It changed meanwhile',
    menu: '',
    parts: [
      part('news', html`<h2>Since you looked</h2>${news}`, 'card need'),
      part(
        'again',
        action === undefined
          ? html`<p>${wanted.action} is not possible any more.${wanted.text === '' ? undefined : html` You wrote: <span class="said lines">${wanted.text}</span>`}</p>`
          : html`<h2>If you still want to</h2><div class="acts">${actionForm(seen, wanted.subject, action, { text: wanted.text })}</div>`,
      ),
    ],
  };
}

export const confirmView = (seen: Seen, wanted: Wanted, question: string, back: string): View => ({
  title: 'Are you sure?',
  menu: '',
  parts: [part('ask', confirmForm(seen, wanted, question, back), 'ask')],
});

export const refusedView = (wanted: Wanted, said: string): View => ({
  title: 'It was not done',
  menu: '',
  parts: [
    part(
      'refused',
      html`<p class="said lines">${said}</p>${wanted.text === '' ? undefined : html`<p>You wrote: <span class="said lines">${wanted.text}</span></p>`}`,
      'card alarm',
    ),
  ],
});

/** A note on a line of a diff; `text` begins with where it is. */
export function noteView(
  seen: Seen,
  { task, round, text }: { readonly task: string; readonly round: string; readonly text: string },
): View {
  const status = findTask(seen.board.state, task)?.status;
  const isOver = status !== undefined && isTerminal(status);
  const subject = { kind: 'task', id: task } as const;
  const note = seen.actionsFor(subject).find(({ name }) => name === 'note');
  return {
    title: `Note on ${task}`,
    menu: 'board',
    parts: [
      part(
        'note',
        note === undefined
          ? html`<p>No note can be left for ${task} now.</p>`
          : html`<p>${isOver ? `${task} is ${stateWord(status)}: no coder works on it any more. The note stays with it.` : 'Its coder reads it with the next command, or in the next session.'} <a href="${seen.base}/task/${task}/diff/${round}">Back to round ${round}</a></p><div class="acts">${actionForm(seen, subject, note, { text })}</div>`,
      ),
    ],
  };
}
