// `liza hosts`: the machines that work on this board; which of them take no new work, and what each has that tasks may need.

import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { TAG, VANISHED_AFTER } from '../../protocol/work/hosts.ts';
import type { BoardHost } from '../../store/postgres/hosts.ts';
import type { Said, Saying } from '../../store/postgres/shared-hosts.ts';
import { counted } from '../../text/format.ts';
import { duration } from '../../text/time.ts';
import type { Io } from '../io.ts';
import { onProject, openProject } from '../open-project.ts';
import { oneLine } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

const hosts: Verb = {
  examples: ['liza hosts', 'liza hosts --json'],
  details: [
    'A host is seen while its crew or its watcher runs. Its lag is how many entries it had not read when it was last seen. One that was not seen for a minute and did not end in order is lost: its tasks are free when their leases end.',
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
    const found = await hostsOf(context, shared);
    if (isRefusal(found)) return found;
    const lines = found.map((host) => oneLine(lineOf(host, shared.host)));
    return {
      ok: true,
      lines: lines.length === 0 ? ['no host has been seen yet: liza run on each'] : lines,
      data: { hosts: found, here: shared.host },
    };
  }),
};

function lineOf({ id, name, version, ago, lag, agents, drained, tags }: BoardHost, here: string): string {
  const who = agents.length === 0 ? 'no agents' : agents.join(', ');
  const isLost = ago >= VANISHED_AFTER && agents.length > 0 && !drained;
  const facts = [
    `${name} (${id}${id === here ? ', this one' : ''})`,
    `liza ${version}`,
    `${isLost ? 'lost, ' : ''}seen ${duration(ago)} ago, ${counted(lag, 'entry')} behind`,
    ...(drained ? ['drained'] : []),
    ...(tags.length === 0 ? [] : [`has ${tags.join(', ')}`]),
    who,
  ];
  return facts.join('  ');
}

const drain: Verb = {
  operatorOnly: true,
  positionals: [{ name: 'host', description: 'Its name or id.' }],
  options: { undo: { description: 'It works again.' } },
  examples: ['liza hosts drain build-2', 'liza hosts drain build-2 --undo'],
  details: [
    'No session begins there any more. Those that run may write down where they are, as after liza pause, and end within pause_grace; then its crew ends, and other hosts go on with its tasks. Of a host that vanished for good it says that nobody misses it.',
  ],
  run: async (args, io) => {
    const undo = args.flag('undo');
    const done = await say(io, { host: args.must('host'), said: { drained: !undo }, command: 'hosts drain' });
    if (!done.ok) return done;
    const { name } = done.host;
    const state = undo ? 'takes work again' : 'takes no new work';
    if (done.already === true) return { ok: true, message: `already done: ${name} ${state}`, data: { already: true } };
    const next = undo ? 'start its crew there: liza run' : 'its sessions end; to see it: liza hosts';
    return { ok: true, message: `${name} ${state}; ${next}` };
  },
};

const tag: Verb = {
  operatorOnly: true,
  positionals: [
    { name: 'host', description: 'Its name or id.' },
    { name: 'tag', optional: true, rest: true, description: 'All that it has; none: nothing.' },
  ],
  examples: ['liza hosts tag build-2 gpu linux', 'liza hosts tag build-2'],
  details: [
    'A task that needs a tag (liza add-task --needs gpu) is worked on and reviewed only by hosts that have it.',
  ],
  run: async (args, io) => {
    const tags = [...new Set(args.all('tag'))];
    const bad = tags.find((one) => !TAG.test(one));
    if (bad !== undefined)
      return refuse(`${bad} is no tag`, 'small letters, digits, dots and dashes: gpu, macos', 1, 'needs');
    const done = await say(io, { host: args.must('host'), said: { tags }, command: 'hosts tag' });
    if (!done.ok) return done;
    const { name } = done.host;
    const state = tags.length === 0 ? 'has no tags' : `has ${tags.join(', ')}`;
    if (done.already === true) return { ok: true, message: `already done: ${name} ${state}`, data: { already: true } };
    return { ok: true, message: `${name} ${state}` };
  },
};

async function say(io: Io, saying: Omit<Saying, 'actor'>): Promise<Said | Refusal> {
  const context = await openProject(io);
  if (isRefusal(context)) return context;
  if (context.shared === undefined)
    return refuse(
      'this board is in state.yaml, on this machine alone: it has no hosts',
      'for several hosts: liza store move postgres',
      1,
      'store-moved',
    );
  const { sayOfHost } = await import('../../store/postgres/shared-hosts.ts');
  return sayOfHost(context, context.shared, { ...saying, actor: context.actor });
}

export const verbs = { hosts, 'hosts drain': drain, 'hosts tag': tag };
