// Answering a question on the live board: what the keys write, and when it is sent. Pure. While a person types, no letter
// is a command; leaving without sending keeps what was typed for the next time.

import type { Key as TerminalKey } from 'ink';
import { closed, type Ground, type Pressed, press, type Screen } from './screen.ts';

/** A key, as it is meant while somebody types. */
export type Typed =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'erase' | 'send' | 'next' | 'leave' | 'interrupt' | 'up' | 'down' };

/** As much as a record takes. */
const MOST = 16_000;

export function typed(before: Screen, input: Typed, ground: Ground): Pressed {
  const { pane } = before;
  if (pane.kind !== 'answer') return { screen: before };
  const screen: Screen = { ...before, said: undefined };
  const text = draftOf(screen);
  const write = (next: string): Pressed => ({ screen: { ...screen, draft: { about: pane.about, text: next } } });
  switch (input.kind) {
    case 'text':
      return write(`${text}${input.text}`.slice(0, MOST));
    case 'erase':
      return write([...text].slice(0, -1).join(''));
    case 'send':
      if (text.trim() === '') return { screen: { ...screen, said: 'Type the answer first; esc leaves' } };
      return { screen: closed({ ...screen, draft: undefined }), ask: { about: pane.about, text: text.trim() } };
    case 'next': {
      const all = ground.questions.map(({ about }) => about);
      const next = all[(all.indexOf(pane.about) + 1) % all.length] ?? pane.about;
      return { screen: { ...screen, pane: { ...pane, about: next }, scroll: 0 } };
    }
    case 'leave':
      return { screen: closed(screen) };
    case 'interrupt':
      return press(before, 'interrupt', ground);
    case 'up':
    case 'down': {
      const scroll = screen.scroll + (input.kind === 'up' ? -1 : 1);
      return { screen: { ...screen, scroll: Math.max(0, Math.min(scroll, ground.most)) } };
    }
    default:
      return input satisfies never;
  }
}

/** What was typed for the question that is open. */
export const draftOf = ({ pane, draft }: Screen): string =>
  pane.kind === 'answer' && draft?.about === pane.about ? draft.text : '';

/** A pasted text arrives in one piece, with a return for each line break. */
export function typedOf(input: string, key: TerminalKey): readonly Typed[] {
  if (key.ctrl) return input === 'c' ? [{ kind: 'interrupt' }] : [];
  if (key.escape) return [{ kind: 'leave' }];
  if (key.return) return [{ kind: 'send' }];
  if (key.backspace || key.delete) return [{ kind: 'erase' }];
  if (key.tab) return [{ kind: 'next' }];
  if (key.upArrow) return [{ kind: 'up' }];
  if (key.downArrow) return [{ kind: 'down' }];
  const text = input.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, '');
  return text === '' || key.meta ? [] : [{ kind: 'text', text }];
}
