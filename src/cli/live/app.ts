// The model as an ink component, and nothing more: its lines as rows of text, the terminal's keys as the board's.
// ink compares the rows and writes only those that differ.

import { Box, Text, useInput, useStdin, useStdout } from 'ink';
import { createElement as element, memo, type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import type { Line, Tone } from '../render/layout.ts';
import { takePiece } from './keyboard.ts';
import { textOf } from './lines.ts';
import { openPaste } from './paste.ts';
import { pastedText } from './typing.ts';
import type { ViewModel } from './view-model.ts';

interface AppProps {
  readonly model: ViewModel;
  readonly color: boolean;
  /** Calls back when the terminal has another size; returns how to stop. */
  readonly onResize: (resized: () => void) => () => void;
}

/** Terminals tell of a resize a little before they are done with it, and several times while a window is dragged. */
const SETTLED = 60;
const WIPE = '\x1b[2J\x1b[H';

export function App({ model, color, onResize }: AppProps): ReactNode {
  const lines = useSyncExternalStore(model.onFrame, () => model.frame().lines);
  const { isRawModeSupported } = useStdin();
  const [paste] = useState(openPaste);
  useInput(
    (input, key) => {
      const pasted = paste(input, key);
      if (pasted !== undefined) {
        // What is pasted where nobody types would be commands that nobody meant.
        const text = pastedText(pasted);
        if (model.isTyping() && text !== '') model.type({ kind: 'text', text });
      } else takePiece(model, input, key);
    },
    { isActive: isRawModeSupported },
  );
  useWipe(model, onResize);
  return element(
    Box,
    { flexDirection: 'column' },
    lines.map((line, row) => element(Row, { key: `${row}`, line, color })),
  );
}

/** After a resize the screen is wiped and drawn as a whole: what the terminal made of the old rows is unknown. */
function useWipe(model: ViewModel, onResize: AppProps['onResize']): void {
  const { write } = useStdout();
  useEffect(() => {
    let waiting: NodeJS.Timeout | undefined;
    const stop = onResize(() => {
      model.redraw();
      clearTimeout(waiting);
      waiting = setTimeout(() => write(WIPE), SETTLED);
    });
    return () => {
      stop();
      clearTimeout(waiting);
    };
  }, [model, onResize, write]);
}

interface RowProps {
  readonly line: Line;
  readonly color: boolean;
}

const Row = memo(
  ({ line, color }: RowProps): ReactNode =>
    element(
      Text,
      { wrap: 'truncate-end' },
      // An empty row would have no height.
      textOf(line) === ''
        ? ' '
        : line.map(({ text, tone }, at) => element(Text, { key: `${at}`, ...paint(tone, color) }, text)),
    ),
  (before, after) => JSON.stringify(before.line) === JSON.stringify(after.line),
);

const PAINT: Readonly<Record<Tone, object>> = {
  strong: { bold: true },
  faint: { dimColor: true },
  good: { color: 'green' },
  busy: { color: 'cyan' },
  warn: { color: 'yellow' },
  bad: { color: 'red' },
};

const paint = (tone: Tone | undefined, color: boolean): object => (color && tone !== undefined ? PAINT[tone] : {});
