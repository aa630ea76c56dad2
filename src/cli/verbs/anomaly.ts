// `liza anomaly` records that something did not go as it should, for the circuit breaker to read;
// `liza anomaly list` and `liza anomaly processed` are for whoever deals with it.

import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { defined } from '../../protocol/values.ts';
import { act, onProject } from '../open-project.ts';
import { anomalyLines } from '../render/record.ts';
import type { Verb } from '../verb.ts';

const anomaly: Verb = {
  options: {
    type: {
      value: 'type',
      required: true,
      description: 'Such as retry_loop, trade_off, spec_ambiguity; see liza help anomalies.',
    },
    task: { value: 'task', kind: 'task', description: 'The task it concerns.' },
    detail: { value: 'key=value', repeat: true, description: 'A detail; which ones are needed depends on the type.' },
  },
  examples: [
    'liza anomaly --type retry_loop --task retry-login --detail count=3 --detail error_pattern="ECONNRESET in auth.test"',
  ],
  run: async (args, io) => {
    const details = readDetails(args.all('detail'));
    if (isRefusal(details)) return details;
    return act(io, { name: 'anomaly', type: args.must('type'), details, ...defined({ task: args.text('task') }) });
  },
};

function readDetails(pairs: readonly string[]): Record<string, unknown> | Refusal {
  const details: Record<string, unknown> = {};
  for (const pair of pairs) {
    const match = /^([a-z][a-z0-9_]{0,40})=(.*)$/s.exec(pair);
    if (match?.[1] === undefined || match[2] === undefined) {
      return refuse(
        `the detail ${quoted(pair)} was not understood`,
        'write it as key=value, such as count=3',
        1,
        'detail',
      );
    }
    if (Object.hasOwn(details, match[1])) {
      return refuse(`the detail ${match[1]} is given twice`, 'give each detail once', 1, 'detail');
    }
    details[match[1]] = detailOf(match[1], match[2]);
  }
  return details;
}

/** Only these two are more than text: a spec_ref that happens to read `true` stays a text. */
function detailOf(key: string, text: string): unknown {
  if (key === 'count' && /^\d{1,9}$/.test(text)) return Number(text);
  if (key === 'debt_created' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

const anomalyList: Verb = {
  options: { all: { description: 'Also those that are handled.' } },
  examples: ['liza anomaly list', 'liza anomaly list --all'],
  details: ['To see one of them, also of a goal that has ended: liza show anomaly-3.'],
  run: onProject(async ({ store }, args) => {
    const { board, notices } = await store.read();
    const all = board.state.anomalies;
    const shown = args.flag('all') ? all : all.filter(({ processed_at }) => processed_at === undefined);
    const lines = shown.length === 0 ? ['No open anomalies.'] : shown.flatMap(anomalyLines);
    return { ok: true, lines, data: { anomalies: shown }, notices };
  }),
};

const anomalyProcessed: Verb = {
  positionals: [{ name: 'id', rest: true, kind: 'anomaly', description: 'Of the anomalies, such as anomaly-3.' }],
  options: { why: { value: 'text', description: 'What became of it, in one phrase.' } },
  examples: [
    'liza anomaly processed anomaly-3 --why "retry-login has the limit now"',
    'liza anomaly processed anomaly-3 anomaly-4',
  ],
  details: ['Liza marks the anomalies of a task itself when the task is unblocked, superseded or abandoned.'],
  run: (args, io) =>
    act(io, { name: 'anomaly processed', anomalies: args.all('id'), ...defined({ why: args.text('why') }) }),
};

export const verbs = { anomaly: anomaly, 'anomaly list': anomalyList, 'anomaly processed': anomalyProcessed };
