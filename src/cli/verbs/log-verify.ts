// `liza log verify`: holds the journal against itself, its copy and state.yaml.

import { refuse } from '../../protocol/decision.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'log verify',
  positionals: [],
  options: {},
  examples: ['liza log verify'],
  details: ['Every line must follow from the one before, and every change lead to the state it names.'],
  run: async (_args, io) => {
    const root = io.root();
    if (typeof root !== 'string') return root;
    const { verifyJournal } = await import('../../store/verify.ts');
    const { entries, voids, head, problems, remarks } = verifyJournal(io.context(root));
    const data = { entries, voids, head, problems, remarks };
    const [first] = problems;
    if (first !== undefined) {
      const hint = 'the copy in the git directory may be whole: liza doctor compares them';
      return { ...refuse(`the journal is broken: ${first}`, hint, 4, 'journal'), data, lines: [...problems.slice(1)] };
    }
    const lost = voids === 0 ? '' : `, ${voids} void line(s) of lost races`;
    return {
      ok: true,
      message: `the journal is whole: ${entries} entries${lost}, head ${head.slice(0, 12)}`,
      lines: remarks,
      data,
    };
  },
};
