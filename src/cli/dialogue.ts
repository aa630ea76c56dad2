// Questions to the person at the terminal, one line each, with the line editor that comes with Node. An answer of
// undefined means that they left (Ctrl-C, Ctrl-D). Decides nothing and keeps nothing.

import { createInterface } from 'node:readline';
import type { Dialogue } from './io.ts';

export function openDialogue(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Dialogue {
  const lines: string[] = [];
  let left = false;
  let waiting: ((answer: string | undefined) => void) | undefined;
  const editor = createInterface({ input, output, terminal: true, historySize: 0 });
  const answer = (line: string | undefined): void => {
    const asked = waiting;
    waiting = undefined;
    if (asked !== undefined) asked(line);
    else if (line !== undefined) lines.push(line);
  };
  // Whatever was typed ahead is kept for the next question.
  editor.on('line', answer);
  editor.on('SIGINT', () => editor.close());
  editor.on('close', () => {
    if (!left) output.write('\n');
    left = true;
    answer(undefined);
  });
  return {
    say: (text) => void output.write(`${text}\n`),
    ask: (question) => {
      if (left) return Promise.resolve(undefined);
      editor.setPrompt(question);
      editor.prompt();
      if (lines.length > 0) return Promise.resolve(lines.shift());
      return new Promise((resolve) => {
        waiting = resolve;
      });
    },
    close: () => {
      left = true;
      editor.close();
    },
  };
}
