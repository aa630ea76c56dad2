// A project whose rehearsed crew can work in the background, and which leaves no process when its test is over.

import fs from 'node:fs';
import { onTestFinished } from 'vitest';
import { type BuiltProject, builtProject, tagOf, until } from './program.ts';

export const DETACHED = ['run', '--detach', '--agent', 'rehearsal', '--coders', '1'];

/** The coder of task `a` works and then waits for ever; the planner plans nothing. */
const SCENES = [
  {
    role: 'coder',
    steps: [
      { begin: { intent: 'a file', risks: 'none', validation: 'node --test passes', files: ['src/a.mjs'] } },
      { write: 'src/a.mjs', text: 'export const a = 1;\n' },
      { commit: 'a: made' },
      { hang: true },
    ],
  },
  { role: 'planner', steps: [{ exit: 0 }] },
];

export function rehearsedCrew(scenes: readonly object[] = SCENES): BuiltProject {
  const made = builtProject();
  const script = made.file('.liza', 'rehearsal.json');
  fs.writeFileSync(script, JSON.stringify({ scenes }));
  made.ok(['config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 0 } })]);
  made.ok([
    ...['add-task', '--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'],
    ...['--scope', 'IN: src/', '--validate', 'test -d .', '--ready'],
  ]);
  onTestFinished(() => {
    const pid = recorded(made);
    if (pid === undefined || pid === process.pid || !isAlive(pid)) return;
    made.liza(['stop', '--now']);
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    throw new Error(`the crew was left behind: ${pid}`);
  });
  return made;
}

const recorded = ({ file }: BuiltProject): number | undefined => {
  const path = file('.liza/cache/crew/status.json');
  if (fs.statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const pid = /^\{"process":"[^/"]+\/(\d+)\//.exec(fs.readFileSync(path, 'utf8'))?.[1];
  return pid === undefined ? undefined : Number(pid);
};

/** The process of the crew that works here. */
export function crewOf(project: BuiltProject): number {
  const pid = recorded(project);
  if (pid === undefined) throw new Error('no crew has said that it works');
  return pid;
}

export function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves when the coder of task `a` has written its file. */
export const atWork = ({ folder }: BuiltProject): Promise<void> => until(() => fs.existsSync(folder('a', 'src/a.mjs')));

/** Everyone who carries a tag of this project's agents. */
export function agentsOf({ root }: BuiltProject): readonly number[] {
  const tags = ['planner-1', 'coder-1', 'code-reviewer-1'].map((agent) => tagOf(root, agent));
  return fs.readdirSync('/proc').flatMap((name) => {
    try {
      const environment = fs.readFileSync(`/proc/${name}/environ`, 'latin1');
      return tags.some((tag) => environment.includes(tag)) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
