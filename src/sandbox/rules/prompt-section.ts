// What a session in the sandbox must know, so that it does not report the sandbox's limits as defects.

import type { Role } from '../../protocol/state.ts';

const FOLDER: Readonly<Record<Role, string>> = {
  planner: 'PROJECT is read-only: the plan is made with liza, not with files.',
  coder:
    'You can write in WORKTREE, HOME and $TMPDIR (both are gone after the session: keep work by commits); everything else is read-only or not shown.',
  code_reviewer:
    'WORKTREE is read-only; the folder of TRY IT IN, HOME and $TMPDIR are not. A failure caused only by this is not a finding.',
};

export const sandboxNote = (role: Role, network: boolean): string =>
  [
    '=== SANDBOX ===',
    FOLDER[role],
    `Other work folders, other processes and the blackboard's files are not shown; liza works as usual, and takes long text on stdin (-), not from a file.${network ? '' : ' There is no network.'}`,
    '',
  ].join('\n');
