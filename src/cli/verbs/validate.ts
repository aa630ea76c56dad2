// `liza validate [file]`: VALID, or one INVALID line for each thing that breaks a rule.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isBrokered, refuseFile } from '../../sandbox/mailbox-commands.ts';
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
    const { validateFile } = await import('../../project/validate.ts');
    const context = typeof root === 'string' ? io.context(root) : undefined;
    const target = (file === undefined ? context?.paths.state : resolve(io.cwd, file)) ?? '';
    if ((statSync(target, { throwIfNoEntry: false })?.size ?? 0) < LARGE) io.holdOptimiser();
    return validateFile(context, target);
  },
};
