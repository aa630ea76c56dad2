// `liza validate [file]`: VALID, or one INVALID line for each thing that breaks a rule.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { realFiles } from '../../ports/files.ts';
import { refuse } from '../../protocol/decision.ts';
import { isBrokered, refuseFile } from '../../sandbox/mailbox-commands.ts';
import { openCurrentBoard } from '../open-board.ts';
import type { Verb } from '../verb.ts';

/** From here on reading takes long enough for optimised code to pay for itself. */
const LARGE = 512 * 1024;

export const verb: Verb = {
  positionals: [
    { name: 'file', optional: true, kind: 'file', description: 'Default: the blackboard of this project.' },
  ],
  examples: ['liza validate', 'liza validate backup/state.yaml'],
  details: ['Prints VALID, or one line `INVALID: …` for each issue with its path and line, and ends with 1.'],
  run: async (args, io) => {
    const file = args.text('file');
    if (file !== undefined && isBrokered(io.env)) return refuseFile(file);
    const root = io.root();
    if (file === undefined && typeof root !== 'string') return root;
    if (file === undefined) await openCurrentBoard(io);
    const context = typeof root === 'string' ? io.context(root) : undefined;
    const target = (file === undefined ? context?.paths.state : resolve(io.cwd, file)) ?? '';
    const stat = statSync(target, { throwIfNoEntry: false });
    if (!stat?.isFile()) return refuse(`there is no file ${target}`, 'name a state.yaml', 1, 'file');
    if (stat.size < LARGE) io.holdOptimiser();
    const { checkFile, issueLine } = await import('../../store/check.ts');
    const issues = await checkFile(context?.files ?? realFiles, target, context);
    if ('ok' in issues) return issues;
    if (issues.length === 0) return { ok: true, lines: ['VALID'], data: { valid: true } };
    const found = `${issues.length} ${issues.length === 1 ? 'issue' : 'issues'} found`;
    return {
      ...refuse(found, 'fix them with liza edit, or with the command for each', 1, 'invalid'),
      lines: issues.map((issue) => `INVALID: ${issueLine(issue)}`),
      data: { valid: false, issues },
    };
  },
};
