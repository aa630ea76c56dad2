// `liza completion <shell>`: generated from the commands themselves, so it is never out of date.

import { gatherOffers } from '../completion.ts';
import { bashScript } from '../completion-bash.ts';
import { fishScript } from '../completion-fish.ts';
import { zshScript } from '../completion-zsh.ts';
import type { Verb } from '../verb.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const verb: Verb = {
  name: 'completion',
  positionals: [{ name: 'shell', choices: Object.keys(SCRIPTS), description: 'Your shell.' }],
  options: {},
  examples: ['source <(liza completion bash)', 'liza completion fish | source'],
  run: async (args) => {
    const shell = args.must('shell') as keyof typeof SCRIPTS;
    const script = SCRIPTS[shell](await gatherOffers());
    return { ok: true, lines: [script.trimEnd()], data: { shell, script } };
  },
};
