// `liza anomaly processed <id…>`: somebody has dealt with it; it stays on record.

import { act } from '../open-project.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'anomaly processed',
  positionals: [{ name: 'id', rest: true, description: 'Of the anomalies, such as anomaly-3.' }],
  options: {},
  examples: ['liza anomaly processed anomaly-3', 'liza anomaly processed anomaly-3 anomaly-4'],
  details: ['Anomalies of a task are marked by themselves when it is unblocked, superseded or abandoned.'],
  run: (args, io) => act(io, { name: 'anomaly processed', anomalies: args.all('id') }),
};
