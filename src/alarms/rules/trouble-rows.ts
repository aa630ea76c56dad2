// Alarms of agents that cannot continue: those that wait by themselves, and those that somebody has to start again.

import type { State, Trouble } from '../../protocol/state.ts';
import { againText } from '../../protocol/work/trouble.ts';
import { gist } from '../../text/format.ts';
import { type Alarm, type AlarmName, alarm, warning } from './alarm.ts';

const TROUBLES: Readonly<Record<Trouble, AlarmName>> = {
  'crash-loop': 'CRASH LOOP',
  spin: 'SPIN',
  quota: 'PROVIDER QUOTA',
  network: 'PROVIDER UNREACHABLE',
  login: 'LOGIN NEEDED',
  provider: 'PROVIDER MISSING',
};

/** Waits that end by themselves are warnings; a supervisor that stopped is an alarm. */
export function troubles({ agents }: Pick<State, 'agents'>): readonly Alarm[] {
  return Object.entries(agents).flatMap(([id, { trouble }]) => {
    if (trouble === undefined) return [];
    const { kind, detail, until } = trouble;
    const when = until === undefined ? '' : ` (until ${until})`;
    const words = `${id} — ${gist(detail)}${when}${againText(id, trouble)}`;
    return [(until === undefined ? alarm : warning)(TROUBLES[kind], id, words)];
  });
}
