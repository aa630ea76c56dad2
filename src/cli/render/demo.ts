// How the demo looks: what it is, one line per thing that happens, and what to do next. With --json nothing is
// printed on the way.

import type { State } from '../../protocol/state.ts';
import type { StoryLine } from '../../rehearsal/demo/narration.ts';
import type { Chapter } from '../../rehearsal/demo/story.ts';
import type { Instant } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { type Line, pageFor, type Tone } from './layout.ts';
import { fold } from './result.ts';
import { plain } from './terminal.ts';

export interface DemoScreen {
  opening(): void;
  told(line: StoryLine): void;
  /** A person's command, as it would be typed. */
  command(argv: readonly string[]): void;
  output(text: string): void;
  /** `kept`: the repository, where it stays. */
  closing(state: State, chapters: readonly Chapter[], seconds: number, kept: string | undefined): readonly string[];
}

const TONES: Readonly<Record<StoryLine['tone'], Tone | undefined>> = {
  plain: undefined,
  faint: 'faint',
  good: 'good',
  bad: 'bad',
  human: 'strong',
};
/** What a program printed is shown as it is; the terminal breaks it. */
const UNCUT = 1_000_000;
const WHO = 16;
const TASK = 7;

export function demoScreen(io: Io, silent: boolean): DemoScreen {
  const width = Math.min(io.columns, 120);
  const p = pageFor({ color: io.color, unicode: io.unicode, width: UNCUT });
  const safe = (text: string): string => fold(plain(text), io);
  const begun = io.host.clock.now();
  const write = (lines: readonly Line[]): void => {
    if (!silent) io.stdout(`${p.print(lines)}\n`);
  };
  return {
    opening: () =>
      write(
        [
          'A planner, two coders and a reviewer build a small program in a repository of their own.',
          'The agents play a script: no account, no network, no model. Everything else is real.',
          '',
        ].map((text) => [{ text: p.say(text) }]),
      ),
    told: ({ who, task, text, tone }) => {
      const left = `${clock(io.host.clock.now() - begun)}  ${who.padEnd(WHO)}${task.padEnd(TASK)} `;
      const [first = '', ...more] = p.lines(text, Math.max(20, width - left.length));
      const rest = more.map((part): Line => [{ text: ' '.repeat(left.length) + part, tone: TONES[tone] }]);
      write([
        [
          { text: left, tone: 'faint' },
          { text: first, tone: TONES[tone] },
        ],
        ...rest,
      ]);
    },
    command: (argv) => write([[{ text: '' }], [{ text: `$ ${safe(argv.map(quoted).join(' '))}`, tone: 'strong' }]]),
    output: (text) => {
      const lines = safe(text.trimEnd()).split('\n');
      if (text.trim() !== '') write(lines.map((line) => [{ text: `  ${line}` }]));
    },
    closing: (state, chapters, seconds, kept) => [
      '',
      safe(`What happened, in ${seconds} s and ${sessionsOf(state)} sessions, read from the board’s history:`),
      ...chapters.flatMap(({ title, happened, text }) => {
        const [first = '', ...more] = p.lines(`${title}: ${text}`, Math.max(20, width - 4));
        return [safe(`  ${happened ? '✓' : '✗'} ${first}`), ...more.map((part) => `    ${part}`)];
      }),
      ...next(kept).map(safe),
    ],
  };
}

const sessionsOf = ({ tasks, goal }: State): number =>
  [...tasks.map(({ usage }) => usage), goal.usage].reduce((sum, use) => sum + (use?.sessions ?? 0), 0);

function next(kept: string | undefined): readonly string[] {
  return [
    '',
    ...(kept === undefined
      ? ['To look around in it, keep it: liza demo --keep']
      : ['Look around:', `  cd ${kept}`, ...LOOK.map((command) => `  ${command}`)]),
    '',
    'In a repository of your own:',
    '  liza init "<goal>"     a blackboard beside your code; your branches stay as they are',
    '  liza run               with the agent CLI that you have',
  ];
}

const LOOK = [
  'liza status --all              # the board',
  'liza log -n 60                 # who did what, when',
  'liza show money                # the rejection and the rework',
  'liza blame integration         # who stands behind a commit',
  'liza report                    # all of it as one page, for the browser',
  'git log --graph --oneline      # what was merged',
];

const clock = (ms: Instant): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`;
};

const quoted = (word: string): string => (/^[\w./:=,-]+$/.test(word) ? word : `"${word}"`);
