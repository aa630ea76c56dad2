// What a person's browser asks this server to do: a command, a link for another browser, to sign out. The form must be one of
// this session, and the session one that may act. Answers as a page, or as JSON to the page's script.

import type { ServerResponse } from 'node:http';
import { act, type Outcome, readWanted } from './act.ts';
import { seeOther, sendJson, sendPage, sendText } from './answers.ts';
import type { Request } from './server.ts';
import type { Session, WebRole } from './sessions.ts';
import { show } from './showing.ts';
import type { Known, Site } from './site.ts';
import { confirmView, newsView, problemPage, refusedView, shareView } from './views/doors.ts';
import { filledIn } from './views/forms.ts';

/** Commands that run at one time, each a process. */
const MOST_RUNNING = 4;

interface Changing extends Known {
  /** Of links to this server. */
  readonly origin: string;
  /** Ends the session. */
  close(): void;
}

export async function change(site: Site, request: Request, { origin, close, session, rest }: Changing): Promise<void> {
  const { response } = request;
  const form = await request.form();
  if (form === undefined) return sendText(response, 400, 'The form did not come whole.', { connection: 'close' });
  const word = request.headers.get('x-liza-form') ?? form.get('form');
  const wantsJson = /\bjson\b/.test(request.headers.get('accept') ?? '');
  const no = (status: number, problem: string): void => {
    site.tellRefused(status, `POST /…/${rest.join('/')}: ${problem}`);
    if (wantsJson) sendJson(response, { kind: 'refused', said: problem }, status);
    else sendPage(response, problemPage(site.assets.files, `/${site.base}`, 'Refused', problem), status);
  };
  if (word !== session.form) return no(403, 'The form is not one of this session: load the page again.');
  const [what, ...more] = rest;
  if (more.length > 0) return no(404, 'There is no such form.');
  if (what === 'leave') {
    close();
    return seeOther(response, '/');
  }
  if (session.role !== 'operator') return no(403, 'This link is for looking only.');
  if (what === 'share') return share(site, response, { origin, session, role: form.get('role') });
  if (what !== 'act') return no(404, 'There is no such form.');
  const wanted = readWanted(form);
  if (wanted === undefined) return no(400, 'The form does not say what to do.');
  if (site.running.count >= MOST_RUNNING) return no(503, 'Other commands are still running: try again in a moment.');
  site.running.count += 1;
  const outcome = await act(site, wanted).finally(() => {
    site.running.count -= 1;
  });
  const back = backIn(request, form, site.base);
  if (wantsJson) return sendOutcome(site, response, outcome, wanted, session);
  if (outcome.kind === 'done') {
    site.told.set(session, outcome.said);
    return seeOther(response, `/${site.base}/${back}`);
  }
  const seen = site.pages.seen(outcome.looked, session.role);
  const view =
    outcome.kind === 'ask'
      ? confirmView(seen, wanted, outcome.question, back)
      : outcome.kind === 'news'
        ? newsView(seen, wanted, outcome.entries)
        : refusedView(wanted, outcome.said);
  const status = outcome.kind === 'ask' ? 200 : outcome.kind === 'news' ? 409 : 422;
  show(site, response, { view, seen, session, address: 'share', status });
}

function sendOutcome(
  site: Site,
  response: ServerResponse,
  outcome: Outcome,
  wanted: NonNullable<ReturnType<typeof readWanted>>,
  { role, form }: Session,
): void {
  switch (outcome.kind) {
    case 'done':
      return sendJson(response, { kind: 'done', said: site.outgoing(outcome.said) });
    case 'ask':
      return sendJson(response, { kind: 'ask', question: outcome.question });
    case 'refused':
      return sendJson(response, { kind: 'refused', said: site.outgoing(outcome.said) }, 422);
    case 'news': {
      const seen = site.pages.seen(outcome.looked, role);
      const html = newsView(seen, wanted, outcome.entries)
        .parts.map((part) => part.html().markup)
        .join('');
      return sendJson(response, { kind: 'news', html: filledIn(site.outgoing(html), form, outcome.looked.seq) }, 409);
    }
    default:
      return outcome satisfies never;
  }
}

/** The page that the form was on: back there, and nowhere else. */
function backIn({ headers }: Request, form: URLSearchParams, base: string): string {
  const named = form.get('back') ?? headers.get('referer')?.split(`/${base}/`)[1] ?? 'now';
  const isOfOurs =
    /^(?:now|board|queue|agents|account|cost|log|task\/[a-z0-9-]{1,63})(?:\?[A-Za-z0-9=&%+._-]{0,200})?$/.test(named);
  return isOfOurs ? named : 'now';
}

interface Sharing {
  readonly origin: string;
  readonly session: Session;
  readonly role: string | null;
}

async function share(site: Site, response: ServerResponse, { origin, session, role }: Sharing): Promise<void> {
  const wanted: WebRole = role === 'operator' ? 'operator' : 'viewer';
  const link = `${origin}/#${site.sessions.newCode(wanted)}`;
  const seen = site.pages.seen(await site.feed.look(), session.role);
  show(site, response, { view: shareView(seen, { link, role: wanted }), seen, session, address: 'share' });
}
