// One piece from the terminal, given to the board key by key. Letters that were typed fast arrive together: after the one
// that opens a text field, the rest is text and no command. A line that was typed before the board was there, or pasted
// where the terminal does not mark it, arrives in one piece, too, and is no row of commands.

import { keyOf } from './keys.ts';
import { openPaste } from './paste.ts';
import { keyPress, type TerminalKey } from './terminal-key.ts';
import { pastedText, typedOf } from './typing.ts';
import type { ViewModel } from './view-model.ts';

type Board = Pick<ViewModel, 'isTyping' | 'notHeard' | 'press' | 'stray' | 'type'>;

/** Takes what the terminal sends for one key, or a run of text. */
export function openKeyboard(board: Board): (sent: string) => void {
  const paste = openPaste();
  return (sent) => {
    const { input, key } = keyPress(sent);
    const pasted = paste(input, key);
    if (pasted === undefined) return takePiece(board, input, key);
    // What is pasted where nobody types would be commands that nobody meant.
    const text = pastedText(pasted);
    if (text === '') return;
    if (board.isTyping()) board.type({ kind: 'text', text });
    else board.notHeard();
  };
}

/** Nobody presses so many different keys at once. Keys that open a text field come before text. */
function isLine(input: string): boolean {
  const letters = input.replace(/[\r\n]+$/, '');
  return !/^[jkgG ]*[anu/]/.test(letters) && letters.length >= 4 && new Set(letters).size >= 3;
}

export function takePiece(board: Board, input: string, key: TerminalKey): void {
  if (!board.isTyping() && isLine(input)) board.notHeard();
  else takeKeys(board, input, key);
}

function takeKeys(board: Board, input: string, key: TerminalKey): void {
  if (board.isTyping()) {
    typedOf(input, key).forEach(board.type);
    return;
  }
  const [first = '', ...rest] = key.ctrl || key.meta ? [input] : [...input];
  const pressed = keyOf(first, key);
  if (pressed === undefined) board.stray();
  else board.press(pressed);
  if (rest.length > 0) takeKeys(board, rest.join(''), key);
}
