// `liza hosts`: the machines that work on this board.

import { isRefusal } from '../../protocol/decision.ts';
import { counted } from '../../text/format.ts';
import { onProject } from '../open-project.ts';
import { oneLine } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  examples: ['liza hosts', 'liza hosts --json'],
  details: [
    'A host is seen while its crew or its watcher runs. Its lag is how many entries it had not read when it was last seen.',
  ],
  run: onProject(async (context) => {
    const { shared } = context;
    if (shared === undefined)
      return {
        ok: true,
        lines: ['this board is in state.yaml, on this machine alone; for several: liza store move postgres'],
        data: { hosts: [] },
      };
    const { hostsOf } = await import('../../store/postgres/shared-hosts.ts');
    const hosts = await hostsOf(context, shared);
    if (isRefusal(hosts)) return hosts;
    const lines = hosts.map(({ id, name, version, ago, lag, agents }) => {
      const who = agents.length === 0 ? 'no agents' : agents.join(', ');
      const here = id === shared.host ? ', this one' : '';
      return oneLine(
        `${name} (${id}${here})  liza ${version}  seen ${Math.round(ago / 1000)}s ago, ${counted(lag, 'entry')} behind  ${who}`,
      );
    });
    return {
      ok: true,
      lines: lines.length === 0 ? ['no host has been seen yet: liza run on each'] : lines,
      data: { hosts, here: shared.host },
    };
  }),
};
