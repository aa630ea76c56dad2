// One piece from the terminal, given to the board key by key. Letters that were typed fast arrive together: after the one
// that opens a text field, the rest is text and no command.

import type { Key as TerminalKey } from 'ink';
import { isSequence, keyOf } from './keys.ts';
import { typedOf } from './typing.ts';
import type { ViewModel } from './view-model.ts';

type Board = Pick<ViewModel, 'isTyping' | 'press' | 'stray' | 'type'>;

export function takePiece(board: Board, input: string, key: TerminalKey): void {
  if (board.isTyping()) {
    typedOf(input, key).forEach(board.type);
    return;
  }
  const [first = '', ...rest] = key.ctrl || key.meta || isSequence(input) ? [input] : [...input];
  const pressed = keyOf(first, key);
  if (pressed === undefined) board.stray();
  else board.press(pressed);
  if (rest.length > 0) takePiece(board, rest.join(''), key);
}
