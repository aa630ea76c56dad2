// Pasted text, as terminals mark it: between `ESC [200~` and `ESC [201~`, in as many pieces as they like. A line break in
// it is text; typed, it would send. Pieces come without their first escape, and a lone return as a key.

import { PASTE_BEGIN, PASTE_END, type TerminalKey } from './terminal-key.ts';

/** Reads the next piece: the text that was pasted with it, or undefined when it is typed. */
export function openPaste(): (input: string, key: TerminalKey) => string | undefined {
  let isOpen = false;
  return (input, key) => {
    if (!isOpen && !input.startsWith(PASTE_BEGIN)) return undefined;
    // A control character comes as its letter.
    const text = key.return ? '\n' : key.ctrl ? '' : input;
    const piece = isOpen ? text : input.slice(PASTE_BEGIN.length);
    const end = piece.indexOf(PASTE_END);
    isOpen = end === -1;
    return (end === -1 ? piece : piece.slice(0, end)).replace(/\x1b$/, '');
  };
}
