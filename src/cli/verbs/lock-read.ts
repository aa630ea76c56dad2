// `liza lock read`: the blackboard's text, whole and committed. Takes no lock.

import { isRefusal } from '../../protocol/decision.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'lock read',
  positionals: [],
  options: {},
  examples: ['liza lock read | yq .goal'],
  run: async (_args, io) => {
    const root = io.root();
    if (typeof root !== 'string') return root;
    const { load } = await import('../../store/load.ts');
    const { missingBoard } = await import('../../store/refusals.ts');
    const context = io.context(root);
    const loaded = await load(context.files, context.paths);
    if ('none' in loaded) {
      const bytes = context.files.read(context.paths.state);
      return bytes === undefined ? missingBoard(context) : { ok: true, lines: [bytes.toString('utf8').trimEnd()] };
    }
    if (isRefusal(loaded)) return loaded;
    return { ok: true, lines: [loaded.doc.text.trimEnd()], data: { state: loaded.doc.value } };
  },
};
