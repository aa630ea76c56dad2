// The way of a task by verbs alone, as people and agents type them.

import { showing } from './approval.ts';
import { addTask, type Contents, checkpoint } from './core.mjs';
import { type OpenedProject, openProject } from './project.ts';
import { type RepositoryOptions, repository } from './repository.ts';

/** All of it runs in this process. */
export interface PlayedProject extends OpenedProject {
  /** Unclaimed. */
  add(id: string): Promise<void>;
  /** Registers the coder first; returns the task's folder. */
  claim(id: string, coder?: string): Promise<string>;
  /** Commits in the task's folder; returns the commit. */
  work(id: string, files: Contents): string;
  begin(id: string, file: string, coder?: string): Promise<void>;
  /** From the checkpoint to the submission of a commit, which is returned. */
  submit(id: string, file: string, text: string, coder?: string): Promise<string>;
  verdict(id: string, verdict: 'APPROVED' | 'REJECTED', reason?: string): Promise<void>;
  /** All the way; returns the merge commit. */
  merge(id: string, text?: string): Promise<string>;
}

export const REJECTION = `Blockers: 1
- [blocker] src/greet.ts:1 — it greets nobody
  Why it matters: the spec names a person
  Suggestion: greet that person
Concerns: 0
Overall: close`;

/** A repository with no board yet. */
export function playedProject(options?: RepositoryOptions): PlayedProject {
  const opened = openProject(repository(options));
  const { ok } = opened;
  const registered = async (agent: string): Promise<void> => {
    opened.pass(1);
    await opened.liza(['register', agent], { as: agent }); // refused when it lives already, which is as good
  };
  const self: PlayedProject = {
    ...opened,
    add: async (id) => void (await ok(addTask(id))),
    claim: async (id, coder = 'coder-1') => {
      await registered(coder);
      await ok(['claim-task', id, coder], { as: coder });
      return self.folder(id);
    },
    work: (id, files) => self.commit(files, `work on ${Object.keys(files).join(', ')}`, self.folder(id)),
    begin: async (id, file, coder = 'coder-1') => {
      await ok(['begin', id, ...checkpoint(file, `Write ${id}`)], { as: coder });
    },
    submit: async (id, file, text, coder = 'coder-1') => {
      await self.begin(id, file, coder);
      self.work(id, { [`tests/${id}.test.ts`]: `test ${text}\n` });
      const commit = self.work(id, { [file]: text });
      await ok(['submit-for-review', id, commit], { as: coder });
      return commit;
    },
    verdict: async (id, verdict, reason) => {
      const as = 'code-reviewer-1';
      await registered(as);
      await ok(['claim-review', id, as], { as });
      const said = verdict === 'APPROVED' ? showing(await self.task(id), reason) : reason;
      await ok(['submit-verdict', id, verdict, ...(said === undefined ? [] : [said])], { as });
    },
    merge: async (id, text = `${id}\n`) => {
      await self.add(id);
      await self.claim(id);
      await self.submit(id, `src/${id}.ts`, text);
      await self.verdict(id, 'APPROVED', 'good');
      await ok(['wt', 'merge', id]);
      return (await self.task(id)).merge_commit ?? '';
    },
  };
  return self;
}
