// Every alarm that is on, and the journal: who did what, as it was recorded.

import type { JournalEntry } from '../../../store/store.ts';
import { byUrgency } from '../../live/events.ts';
import { actionForms } from './forms.ts';
import { html } from './markup.ts';
import { alarmText } from './now.ts';
import { versionOf } from './version.ts';
import { part, type Seen, type View } from './view.ts';

export function logView(seen: Seen, journal: readonly JournalEntry[]): View {
  const alarms = byUrgency(seen.status.alarms);
  const { anomalies, notices } = seen.status;
  const first = journal[0]?.seq ?? 1;
  return {
    title: 'Alarms and log',
    menu: 'log',
    parts: [
      ...(alarms.length === 0 ? [part('quiet', html`<p>No alarm is on.</p>`, 'card calm')] : []),
      ...(alarms.length === 0
        ? []
        : [part('now', html`<p>What you can do about them: <a href="${seen.base}/now">Now</a></p>`, 'filter')]),
      ...alarms.map((alarm) => part(`alarm-${versionOf(alarm.key)}`, alarmText(alarm), `card ${alarm.level}`)),
      ...notices.map(({ level, message }) =>
        part(
          `notice-${versionOf(message)}`,
          html`<p class="said lines">${message}</p>`,
          `card ${level === 'alarm' ? 'alarm' : ''}`,
        ),
      ),
      ...(anomalies.length === 0
        ? []
        : [
            part(
              'anomalies',
              html`<h2>Reported, and open</h2><ul class="plain anomalies">${anomalies.map(
                ({ id, type, task, reporter, details }) =>
                  html`<li><b class="id">${id ?? ''}</b> ${type.replaceAll('_', ' ')}${task === undefined ? undefined : html` &middot; <a class="id" href="${seen.base}/task/${task}">${task}</a>`}${reporter === undefined ? undefined : html` &middot; ${reporter}`}<div class="said detail">${Object.entries(
                    details,
                  )
                    .map(
                      ([name, value]) =>
                        `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
                    )
                    .join(
                      '; ',
                    )}</div>${id === undefined ? undefined : actionForms(seen, { kind: 'anomaly', id })}</li>`,
              )}</ul>`,
            ),
          ]),
      part(
        'earlier',
        first > 1
          ? html`<p><a href="${seen.base}/log?before=${String(first)}">Earlier entries</a></p>`
          : html`<p class="meta">Below is the whole journal.</p>`,
        'filter',
      ),
    ],
    journal,
  };
}
