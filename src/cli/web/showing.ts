// A page on its way out: with what the last form came to, the session's own word in its forms, and without what nobody may
// read.

import type { ServerResponse } from 'node:http';
import { sendPage } from './answers.ts';
import type { Session } from './sessions.ts';
import type { Site } from './site.ts';
import { filledIn } from './views/forms.ts';
import { pageOf } from './views/page.ts';
import type { Seen, View } from './views/view.ts';

export interface Showing {
  readonly view: View;
  readonly seen: Seen;
  readonly session: Session;
  readonly address: string;
  readonly status?: number;
}

export function show(
  { told, assets, outgoing }: Pick<Site, 'told' | 'assets' | 'outgoing'>,
  response: ServerResponse,
  { view, seen, session, address, status }: Showing,
): void {
  const said = told.get(session);
  told.delete(session);
  const page = pageOf(view, seen, { files: assets.files, address, ...(said === undefined ? {} : { said }) });
  sendPage(response, filledIn(outgoing(page), session.form, seen.seq), status);
}
