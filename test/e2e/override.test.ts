// The overrides of docs/governance.md by hand, with an editor, `kill`, `touch` and `rm`, in the demo's repository, while one
// `liza run` is running all the time. Each row has the stated effect, and the agents' work is never lost.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtIn, tagOf, until } from '../support/program.ts';
import { repository } from '../support/repository.ts';

const STAYS = [{ hang: true }];
const SCENES = [
  { role: 'coder', when: 'interrupted', steps: [{ run: ['sh', '-c', 'echo again >> ../again'] }, ...STAYS] },
  {
    role: 'coder',
    steps: [
      { begin: { intent: 'a file', risks: 'none', validation: 'node --test passes', files: ['src/a.mjs'] } },
      { write: 'note.txt', text: 'not committed\n' },
      ...STAYS,
    ],
  },
  {
    role: 'planner',
    when: 'BLOCKED_TASKS',
    steps: [{ liza: ['align', 'woken by the override'] }, { exit: 0, reason: 'a person must say' }],
  },
  { role: 'planner', steps: [{ exit: 0 }] },
];

/** The demo's project with one task in it. */
function demoProject(): BuiltProject {
  const made = builtIn(repository());
  fs.cpSync(path.resolve(import.meta.dirname, '../../demo/project'), made.root, { recursive: true });
  made.git('add', '-A');
  made.git('commit', '-q', '-m', 'the demo');
  made.ok(['init', 'A small program']);
  const script = made.file('.liza', 'rehearsal.json');
  fs.writeFileSync(script, JSON.stringify({ scenes: SCENES }));
  made.ok(['config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 0 } })]);
  made.ok(['config', 'set', 'pause_grace', '1']);
  // Its agent leaves marks beside its folder.
  made.ok(['config', 'set', 'sandbox', 'off']);
  made.ok([
    ...['add-task', '--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
    ...['--scope', 'IN: src/, test/', '--validate', 'node --test', '--ready'],
  ]);
  return made;
}

/** Processes of the coder. */
function coders({ root }: BuiltProject): readonly number[] {
  const tag = tagOf(root, 'coder-1');
  return fs.readdirSync('/proc').flatMap((name) => {
    try {
      return fs.readFileSync(`/proc/${name}/environ`, 'latin1').includes(tag) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(inFull)(
  'kill, PAUSE, resume, replan, inject, CHECKPOINT, ABORT: each by hand, while liza run is at work (in test:all)',
  async () => {
    const p = demoProject();
    const running = p.start(['run', '--agent', 'rehearsal', '--plain', '--coders', '1']);
    const note = p.file('.worktrees/a/note.txt');
    const restarts = (): number => {
      const file = p.file('.worktrees/again');
      return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').length - 1 : 0;
    };
    const touch = (name: string): void => fs.closeSync(fs.openSync(p.file('.liza', name), 'a'));
    const save = (change: (text: string) => string): void => {
      const before = p.read('.liza/state.yaml');
      expect(change(before)).not.toBe(before);
      fs.writeFileSync(p.file('.liza/state.yaml~'), change(before));
      fs.renameSync(p.file('.liza/state.yaml~'), p.file('.liza/state.yaml'));
    };
    await until(() => fs.existsSync(note));

    // Kill agent: its supervisor starts it again, where it was.
    for (const pid of coders(p)) process.kill(pid, 'SIGKILL');
    await until(() => restarts() === 1);
    expect(fs.readFileSync(note, 'utf8')).toBe('not committed\n');

    // Pause all: agents end, the supervisor waits; resume: they are started again.
    touch('PAUSE');
    await until(() => coders(p).length === 0);
    expect(p.task('a').status).toBe('CLAIMED');
    // Nothing is left to do, and there is no terminal: it waits all the same, for whoever paused is there.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(running.child.exitCode).toBeNull();
    fs.rmSync(p.file('.liza/PAUSE'));
    await until(() => restarts() === 2);

    // Force replan: the planner is woken, the coder lets go, the work stays.
    save((text) => text.replace(/^( +)status: CLAIMED$/m, '$1status: BLOCKED\n$1blocked_reason: human override'));
    await until(() => p.read('.liza/state.yaml').includes('woken by the override'));
    await until(() => coders(p).length === 0);
    expect(p.task('a')).toMatchObject({ status: 'BLOCKED', blocked_reason: 'human override' });
    expect(fs.readFileSync(note, 'utf8')).toBe('not committed\n');

    // Inject task: it is claimed.
    const injected = `  - id: b
    description: from a person
    status: UNCLAIMED
    priority: 1
    spec_ref: specs/vision.md
    done_when: b is there and exported
    scope: "IN: src/, test/"
    validation: ["node --test"]
`;
    save((text) => text.replace(/^agents:$/m, `${injected}agents:`));
    await until(() => fs.existsSync(p.file('.worktrees/b/note.txt')));
    expect(p.task('b')).toMatchObject({ status: 'CLAIMED', assigned_to: 'coder-1' });

    // Checkpoint: a summary is written, agents end; without the file they go on.
    touch('CHECKPOINT');
    await until(() => coders(p).length === 0);
    const folder = p.file('.liza/checkpoints');
    // Written under another name first.
    const summaries = () =>
      fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.md')) : [];
    await until(() => summaries().length === 1);
    const summary = fs.readFileSync(path.join(folder, summaries()[0] ?? ''), 'utf8');
    expect(summary).toContain('a is BLOCKED: human override');
    expect(summary).toContain('### b: CLAIMED');
    fs.rmSync(p.file('.liza/CHECKPOINT'));
    await until(() => restarts() === 3);
    await until(() => p.read('.liza/state.yaml').includes('CHECKPOINT was removed by hand'));

    // Abort goal: all end; tasks and worktrees stay.
    touch('ABORT');
    const { code } = await running.ended;
    expect(code).toBe(1);
    expect(coders(p)).toEqual([]);
    expect([p.task('a').status, p.task('b').status]).toEqual(['BLOCKED', 'CLAIMED']);
    expect(fs.existsSync(note)).toBe(true);
    expect(p.ok(['validate']).stdout).toContain('VALID');
  },
);
