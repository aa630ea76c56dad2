// Pasted text, as terminals mark it: between `ESC [200~` and `ESC [201~`, in as many pieces as they like. A line break in
// it is text; typed, it would send. ink hands pieces on without their first escape, and takes a lone return for a key.

import type { Key as TerminalKey } from 'ink';

const BEGIN = '[200~';
const END = '[201~';

/** Reads the next piece: the text that was pasted with it, or undefined when it is typed. */
export function openPaste(): (input: string, key: TerminalKey) => string | undefined {
  let isOpen = false;
  return (input, key) => {
    if (!isOpen && !input.startsWith(BEGIN)) return undefined;
    // Of a control character ink gives the letter.
    const text = key.return ? '\n' : key.ctrl ? '' : input;
    const piece = isOpen ? text : input.slice(BEGIN.length);
    const end = piece.indexOf(END);
    isOpen = end === -1;
    return (end === -1 ? piece : piece.slice(0, end)).replace(/\x1b$/, '');
  };
}
