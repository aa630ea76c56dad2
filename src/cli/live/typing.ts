// Typing on the live board: an answer, what an action needs, or a filter. Pure. While a person types, no letter is a
// command; leaving without sending keeps what was typed for the next time, and so does a refusal.

import { closed, type Draft, decided, type Ground, type Pane, type Pressed, press, type Screen } from './screen.ts';
import type { TerminalKey } from './terminal-key.ts';

type Edit = 'erase' | 'erase-next' | 'erase-word' | 'erase-before' | 'left' | 'right' | 'first' | 'last';

type Change = { readonly kind: 'text'; readonly text: string } | { readonly kind: Edit };

/** A key, as it is meant while somebody types. */
export type Typed = Change | { readonly kind: 'send' | 'next' | 'leave' | 'interrupt' | 'up' | 'down' };

/** As much as a record takes. */
const MOST = 16_000;

/** What the text is for; undefined: nobody types. */
export function draftKey(pane: Pane): string | undefined {
  switch (pane.kind) {
    case 'answer':
      return pane.about;
    case 'write':
      return `${pane.action} ${pane.target?.id ?? ''}`;
    case 'filter':
      return 'filter';
    default:
      return undefined;
  }
}

/** What is typed on the open page. */
export function draftOf({ pane, drafts }: Screen): Draft {
  return drafts[draftKey(pane) ?? ''] ?? { text: '', at: 0 };
}

/** Texts that were typed to be sent, and were not. */
export const unsent = ({ drafts }: Screen): readonly string[] =>
  Object.entries(drafts)
    .filter(([key, { text }]) => key !== 'filter' && text.trim() !== '')
    .map(([, { text }]) => text.trim());

export function typed(before: Screen, input: Typed, ground: Ground): Pressed {
  const { pane } = before;
  const key = draftKey(pane);
  if (key === undefined) return { screen: before };
  const screen: Screen = { ...before, said: undefined };
  switch (input.kind) {
    case 'send':
      return sent(screen, key, ground);
    case 'next':
      return { screen: pane.kind === 'answer' ? nextQuestion(screen, pane, ground) : screen };
    case 'leave':
      return {
        screen: pane.kind === 'filter' ? closed({ ...without(screen, key), filter: undefined }) : closed(screen),
      };
    case 'interrupt':
      return press(before, 'interrupt', ground);
    case 'up':
    case 'down': {
      const scroll = Math.min(screen.scroll, ground.most) + (input.kind === 'up' ? -1 : 1);
      return { screen: { ...screen, scroll: Math.max(0, Math.min(scroll, ground.most)) } };
    }
    default:
      return { screen: written(screen, key, edited(draftOf(screen), input)) };
  }
}

/** What is typed comes into view; rows are filtered as one types. */
function written(screen: Screen, key: string, draft: Draft): Screen {
  const drafts = { ...screen.drafts, [key]: draft };
  if (screen.pane.kind === 'filter') return { ...screen, drafts, filter: draft.text, chosen: undefined };
  return { ...screen, drafts, scroll: Number.MAX_SAFE_INTEGER };
}

export function without(screen: Screen, key: string): Screen {
  const { [key]: _gone, ...drafts } = screen.drafts;
  return { ...screen, drafts };
}

/** A text that was refused, before what was typed in its place since. */
export function putBack(screen: Screen, key: string, { text }: Draft): Screen {
  const since = screen.drafts[key]?.text ?? '';
  const whole = [text, since].filter((one) => one !== '').join('\n');
  return { ...screen, drafts: { ...screen.drafts, [key]: { text: whole, at: [...whole].length } } };
}

function sent(screen: Screen, key: string, { offersOf }: Ground): Pressed {
  const { pane } = screen;
  const text = draftOf(screen).text.trim();
  if (pane.kind === 'filter') return { screen: closed({ ...screen, filter: text === '' ? undefined : text }) };
  if (pane.kind === 'answer') {
    if (text === '') return { screen: { ...screen, said: 'Type the answer first; esc cancels' } };
    return { screen: closed(screen), ask: { run: ['answer', pane.about, '--', text], draft: key } };
  }
  if (pane.kind !== 'write') return { screen };
  const action = offersOf(pane.target).actions.find(({ name }) => name === pane.action);
  if (action === undefined) return { screen: { ...screen, said: `${pane.action} is no longer possible there` } };
  if (text === '' && action.asks?.optional !== true)
    return { screen: { ...screen, said: 'Type something first; esc cancels' } };
  return decided(screen, action, { text, draft: key });
}

function nextQuestion(screen: Screen, pane: Extract<Pane, { kind: 'answer' }>, { questions }: Ground): Screen {
  const all = questions.map(({ about }) => about);
  const next = all[(all.indexOf(pane.about) + 1) % all.length] ?? pane.about;
  return { ...screen, pane: { ...pane, about: next }, scroll: 0 };
}

/** Positions count characters as people see code points; a cursor never stands inside one. */
function edited({ text, at }: Draft, input: Change): Draft {
  const all = [...text];
  const keep = (before: readonly string[], after: readonly string[]): Draft => ({
    text: [...before, ...after].join(''),
    at: before.length,
  });
  const before = all.slice(0, at);
  const after = all.slice(at);
  switch (input.kind) {
    case 'text':
      return keep([...before, ...[...input.text].slice(0, Math.max(0, MOST - all.length))], after);
    case 'erase':
      return keep(before.slice(0, -1), after);
    case 'erase-next':
      return keep(before, after.slice(1));
    case 'erase-word':
      return keep([...before.join('').replace(/\S*\s*$/u, '')], after);
    case 'erase-before':
      return keep([], after);
    case 'left':
      return { text, at: Math.max(0, at - 1) };
    case 'right':
      return { text, at: Math.min(all.length, at + 1) };
    case 'first':
      return { text, at: 0 };
    case 'last':
      return { text, at: all.length };
    default:
      return input satisfies never;
  }
}

const CONTROL: Readonly<Record<string, Typed['kind']>> = {
  c: 'interrupt',
  a: 'first',
  e: 'last',
  b: 'left',
  f: 'right',
  d: 'erase-next',
  h: 'erase',
  u: 'erase-before',
  w: 'erase-word',
};

/** Terminals send the same for backspace as others for delete: both erase what is before the cursor. */
const NAMED: readonly (readonly [name: keyof TerminalKey, kind: Typed['kind']])[] = [
  ['escape', 'leave'],
  ['return', 'send'],
  ['backspace', 'erase'],
  ['delete', 'erase'],
  ['tab', 'next'],
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['home', 'first'],
  ['end', 'last'],
];

export function typedOf(input: string, key: TerminalKey): readonly Typed[] {
  const kind = key.ctrl ? CONTROL[input] : NAMED.find(([name]) => key[name])?.[1];
  if (kind !== undefined) return [{ kind } as Typed];
  // Fast fingers and slow lines: a text and its enter arrive in one piece. A marked paste never comes this way.
  const isSent = /^[^\r]+\r$/.test(input);
  const text = key.ctrl || key.meta ? '' : pastedText(isSent ? input.slice(0, -1) : input);
  return text === '' ? [] : [{ kind: 'text', text }, ...(isSent ? [{ kind: 'send' } as const] : [])];
}

/** A pasted text has a return for each line break; what a terminal would obey is left out. */
export const pastedText = (input: string): string =>
  input.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, '');
