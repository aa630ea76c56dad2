// `liza lock read|write|modify`: the blackboard as text, for scripts, by the rules of an edit by hand.

import { notForAgents } from '../../identity/identify.ts';
import { isRefusal, refuse } from '../../protocol/decision.ts';
import { hideSettings } from '../../protocol/records/hidden-settings.ts';
import { isFields } from '../../protocol/values.ts';
import { openBoard } from '../open-board.ts';
import { onProject, openProject } from '../open-project.ts';
import type { Verb } from '../verb.ts';
import { asksAsAgent } from '../without-secrets.ts';

/** Takes no lock. */
const lockRead: Verb = {
  examples: ['liza lock read | yq .goal'],
  run: async (_args, io) => {
    const context = openBoard(io);
    if (isRefusal(context)) return context;
    const { loadBoard } = await import('../../store/load-board.ts');
    const { missingBoard } = await import('../../store/refusals.ts');
    const loaded = await loadBoard(context);
    if ('none' in loaded) {
      const bytes = context.files.read(context.paths.state);
      return bytes === undefined || asksAsAgent(io)
        ? missingBoard(context)
        : { ok: true, lines: [bytes.toString('utf8').trimEnd()] };
    }
    if (isRefusal(loaded)) return loaded;
    const { text, value } = loaded.doc;
    if (!asksAsAgent(io)) return { ok: true, lines: [text.trimEnd()], data: { state: value } };
    const { emitEntries } = await import('../../store/yaml/emit.ts');
    const state = isFields(value) ? { ...value, config: hideSettings(value['config']) } : {};
    return { ok: true, lines: emitEntries(state, 0), data: { state } };
  },
};

const lockWrite: Verb = {
  positionals: [
    { name: 'path', description: 'Such as .tasks[my-task].priority or .agents.coder-1.lease_expires.' },
    { name: 'value', description: 'The new value, as YAML.' },
  ],
  examples: ['liza lock write .tasks[retry].priority 1', 'liza lock write .config.poll_interval 10'],
  details: ['Prefer the other commands: this adopts only what an edit of state.yaml by hand may change.'],
  run: onProject(async (context, args) => {
    const own = notForAgents(context.actor, 'lock write');
    if (own !== undefined) return own;
    const { lockWrite } = await import('../../project/lock-commands.ts');
    const { parseStrict } = await import('../../store/yaml/strict.ts');
    const text = args.must('value');
    const parsed = await parseStrict(text);
    const done = await lockWrite(context, args.must('path'), parsed.ok ? parsed.value : text);
    return done.ok ? { ok: true, message: done.message, data: { seq: done.seq } } : done;
  }),
};

const lockModify: Verb = {
  positionals: [
    { name: 'command', rest: true, description: 'Program and arguments; a single argument runs through sh -c.' },
  ],
  passthrough: true,
  examples: [
    `liza lock modify "yq -i '.config.poll_interval = 10' .liza/state.yaml"`,
    "liza lock modify env P=2 yq -i '.tasks[0].priority = env(P)' .liza/state.yaml",
  ],
  details: [
    'Runs in the project’s root. What it leaves must be readable and within what an edit by hand may change;',
    'otherwise the blackboard is restored, the refused version is kept in .liza/rejected, and the exit code is 4.',
    'A liza command inside it fails at once: the lock is held.',
  ],
  run: async (args, io) => {
    if (io.env['LIZA_SANDBOX'] === '1') {
      return refuse(
        'lock modify does not run inside the sandbox',
        'use the command for it: liza help --all',
        1,
        'sandbox',
      );
    }
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const own = notForAgents(context.actor, 'lock modify');
    if (own !== undefined) return own;
    const { lockModify } = await import('../../project/lock-commands.ts');
    const done = await lockModify(context, args.all('command'));
    return done.ok ? { ok: true, message: done.message, data: { seq: done.seq } } : done;
  },
};

export const verbs = { 'lock read': lockRead, 'lock write': lockWrite, 'lock modify': lockModify };
