// The pages from which a person acts: the actions of a row, the text that one of them needs, the question whether it is
// meant; and what an alarm or a discovery says in full.

import { discoveryHead } from '../../protocol/messages/discoveries.ts';
import type { StatusView } from '../../report/status-view.ts';
import type { CrewView } from '../../supervisor/crew-view.ts';
import type { Line, Page } from '../render/layout.ts';
import { eventId, SIGN } from './events.ts';
import { clock } from './format.ts';
import type { Scene } from './frame.ts';
import { titled, typedLines } from './lines.ts';
import type { Pane } from './screen.ts';
import { draftOf } from './typing.ts';

type PaneOf<K extends Pane['kind']> = Extract<Pane, { readonly kind: K }>;

const text = (said: string, p: Page, tone?: Line[number]['tone']): readonly Line[] =>
  p.lines(said, p.width - 4).map((line): Line => [{ text: '  ' }, { text: line, tone }]);

/** One line for each action, so that the chosen one is found by its place. */
export function actionPage(scene: Scene, { target, at }: PaneOf<'actions'>): readonly Line[] {
  const { p } = scene;
  const { actions, typed } = scene.offersOf(target);
  const widest = Math.max(0, ...actions.map(({ name }) => name.length));
  const rows = actions.map(
    ({ name, says }, nth): Line => [
      { text: nth === at ? p.mark : '  ', tone: 'strong' },
      { text: `${nth < 9 ? nth + 1 : ' '}  ${name.padEnd(widest)}  `, tone: nth === at ? 'strong' : 'busy' },
      { text: p.say(says) },
    ],
  );
  const none: Line = [{ text: '  nothing can be done with it now', tone: 'faint' }];
  const elsewhere = typed.flatMap(({ line }) => text(line, p, 'faint'));
  return [
    titled('Actions', target === undefined ? 'the whole board' : target.id, p),
    ...(rows.length === 0 ? [none] : rows),
    ...(elsewhere.length === 0 ? [] : [[], [{ text: 'In another terminal:', tone: 'faint' } as const], ...elsewhere]),
  ];
}

export function writePage(scene: Scene, { action: name, target }: PaneOf<'write'>, p: Page): readonly Line[] {
  const action = scene.offersOf(target).actions.find((one) => one.name === name);
  const label = action?.asks?.label ?? 'It is no longer possible there';
  const optional = action?.asks?.optional === true ? ' (may stay empty)' : '';
  return [
    titled(`liza ${name}`, target?.id ?? '', p),
    ...text(`${label}${optional}:`, p, action === undefined ? 'warn' : undefined),
    [],
    ...typedLines(draftOf(scene.screen), p),
  ];
}

export const confirmPage = ({ question, ask }: PaneOf<'confirm'>, p: Page): readonly Line[] => [
  titled('Sure?', '', p),
  ...text(question, p, 'strong'),
  ...(typeof ask === 'string' ? [] : [[], ...text(`liza ${ask.run.map(shown).join(' ')}`, p, 'faint')]),
  [],
  ...text('y does it; any other key cancels', p),
];

/** A word as a shell would need it, for reading only: the command is run without one. */
const shown = (word: string): string => (/^[\w./=-]+$/.test(word) ? word : `"${word}"`);

export const quitPage = (p: Page): readonly Line[] => [
  titled('Leave', '', p),
  ...text('s  stop the crew: agents save their work and end', p),
  ...text('l  leave it running without this terminal; liza attach shows it again, liza stop ends it', p),
  ...text('esc  stay here', p),
];

export function alarmPage({ alarms }: CrewView, key: string, p: Page): readonly Line[] {
  const alarm = alarms.find((one) => one.key === key);
  if (alarm === undefined) return [titled('Alarm', '', p), ...text('It has ended.', p, 'good')];
  const tone = alarm.level === 'alarm' ? 'bad' : 'warn';
  return [
    titled(alarm.level === 'alarm' ? 'ALARM' : 'Warning', alarm.name, p),
    ...text(alarm.text.replace(SIGN, ''), p, tone),
    [],
    ...text('What each alarm means: liza help alarms', p, 'faint'),
  ];
}

export function eventPage({ events }: CrewView, id: string, zone: number, p: Page): readonly Line[] {
  const event = events.find((one) => eventId(one) === id);
  if (event === undefined) return [titled('Happened', '', p), ...text('It is no longer in the list; see liza log', p)];
  const { time, agent, task, level } = event;
  const about = [clock(time, zone), agent, task].filter((part) => part !== undefined).join(' ');
  const tone = level === 'alarm' ? 'bad' : level === 'warning' ? 'warn' : undefined;
  return [titled('Happened', about, p), ...text(event.text.replace(SIGN, ''), p, tone)];
}

export function discoveryPage({ discoveries }: StatusView, id: string, p: Page): readonly Line[] {
  const found = discoveries.find((one) => one.id === id);
  if (found === undefined) return [titled('Discovery', id, p), ...text('It is decided.', p, 'good')];
  return [
    titled('Discovery', discoveryHead(found), p),
    ...text(found.description, p),
    ...(found.recommendation === undefined ? [] : [[], ...text(`recommends: ${found.recommendation}`, p)]),
  ];
}
