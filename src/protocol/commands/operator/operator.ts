// The rows of the operator besides the kill switches and notes: spec changes, settings, metrics, the archive.

import * as v from 'valibot';
import { metrics as computeMetrics } from '../../../governance/rules/metrics.ts';
import { iso } from '../../../text/time.ts';
import { patch, withSprint } from '../../change.ts';
import type { CommandOf } from '../../command.ts';
import type { Row, Situation } from '../../command-row.ts';
import { ConfigSchema } from '../../config.ts';
import { refuse } from '../../decision.ts';

import { inBash } from '../../facts/spec-facts.ts';
import { findTask, statusOf } from '../../find.ts';
import { webAddress } from '../../ids.ts';
import { fileOf } from '../../messages/news.ts';
import { provesNothing } from '../../shell/always-green.ts';
import { shellQuoted } from '../../shell/shell-words.ts';
import { isTerminal, type State, type Task } from '../../state.ts';
import { noSuch, noTask } from '../../unknown-id.ts';
import { blank, defined, listForMap, namesProto } from '../../values.ts';
import { list } from '../words.ts';
import { branchInUse, keptEntries, settled } from './budget-setting.ts';
import { settingHint } from './setting-hint.ts';

export const specChange: Row<'spec-change'> = {
  name: 'spec-change',
  syntax: 'spec-change <spec> "…"',
  summary: 'Record an edit of a spec and see which live tasks it affects.',
  who: ['human'],
  from: 'board',
  already: ({ state, command }) => {
    const last = state.spec_changes.at(-1);
    return last?.spec === command.spec && last.change === command.change && last.triggered_by === command.triggered_by;
  },
  guards: [
    {
      name: 'what-changed',
      rule: 'spec and change are named',
      check: ({ command, commandLine }) =>
        blank(command.spec) || blank(command.change)
          ? refuse('spec and change must both be named', commandLine('spec-change'))
          : undefined,
    },
    {
      name: 'spec-known',
      rule: 'its file exists, or a live task comes from it',
      needs: 'facts',
      check: ({ state, command }) => {
        if (command.facts?.spec_exists !== false || tasksOfSpec(state, command.spec).length > 0) return undefined;
        const live = state.tasks.filter((task) => !isTerminal(task.status));
        const specs = [...new Set(live.flatMap(({ spec_ref }) => fileOf(spec_ref) ?? []))];
        return refuse(
          `there is no file ${command.spec.slice(0, 200)}, and no live task comes from it`,
          specs.length === 0 ? 'Name a file of this project' : `Live tasks come from ${list(specs)}`,
        );
      },
    },
    {
      name: 'task-exists',
      rule: 'the task that raised it exists',
      check: ({ board, command: { triggered_by: task } }) =>
        task === undefined || statusOf(board, task) !== undefined ? undefined : noTask(board, task),
    },
  ],
  effects: 'spec_changes',
  change: ({ state, command, now }) => {
    const entry = {
      timestamp: iso(now),
      spec: command.spec,
      change: command.change,
      ...defined({ triggered_by: command.triggered_by }),
    };
    const touched = tasksOfSpec(state, command.spec);
    return {
      state: { ...state, spec_changes: [...state.spec_changes, entry] },
      detail: `spec change recorded: ${command.spec}`,
      said: command.change,
      notes: touched.length === 0 ? [] : [`affects ${list(touched.map((task) => `${task.id} (${task.status})`))}`],
    };
  },
};

/** The live tasks whose spec_ref names this file, whatever section it names. */
export const tasksOfSpec = (state: State, spec: string): readonly Task[] =>
  state.tasks.filter((task) => !isTerminal(task.status) && fileOf(task.spec_ref) === fileOf(spec));

/** Shows numbers, booleans and known words only: any other text may hold an address or a secret. */
function toWhat(value: unknown): string {
  if (value === null || value === undefined) return ' back to its default';
  const isPlain = typeof value === 'number' || typeof value === 'boolean' || MODES.has(value);
  return isPlain ? ` to ${String(value)}` : '';
}

const MODES: ReadonlySet<unknown> = new Set([
  'auto',
  'require',
  'off',
  'strict',
  'evidence',
  'worktree',
  'clone',
  'continue',
  'fresh',
]);

export const configSet: Row<'config set'> = {
  name: 'config set',
  syntax: 'config set <key> <value>',
  summary: 'Change a setting.',
  who: ['human'],
  from: 'board',
  already: ({ state, command }) => {
    const { key, value } = settled(state.config, command);
    return (
      JSON.stringify((state.config as Record<string, unknown>)[key]) === JSON.stringify(value ?? undefined) &&
      Object.hasOwn(ConfigSchema.entries, key)
    );
  },
  guards: [
    {
      name: 'key',
      rule: 'the key exists',
      check: ({ state, command }) =>
        Object.hasOwn(ConfigSchema.entries, settled(state.config, command).key)
          ? undefined
          : noSuch({
              what: 'setting',
              id: command.key,
              known: Object.keys(ConfigSchema.entries),
              see: 'See the settings: liza config get',
            }),
    },
    {
      name: 'value',
      rule: 'the value fits the schema',
      check: ({ state, command }) => {
        const { key, value } = settled(state.config, command);
        if (value === null || value === undefined) return undefined;
        if (namesProto(value)) return refuse(`nothing in ${key} can be called __proto__`, 'choose another name');
        const parsed = v.safeParse(ConfigSchema.entries[key as keyof typeof ConfigSchema.entries], value);
        const list = parsed.success ? listForMap(value, parsed.output) : undefined;
        if (list !== undefined) {
          return refuse(
            `${[key, ...list].join('.')} must be a map, and this is a list`,
            settingHint(command.key, value, ''),
          );
        }
        if (parsed.success) return undefined;
        const [issue] = parsed.issues;
        const where = [key, v.getDotPath(issue)].filter((part) => part !== null).join('.');
        return refuse(`${where} ${issue.message}`, settingHint(command.key, command.value, issue.message));
      },
    },
    {
      name: 'address',
      rule: 'a webhook is an http or https address',
      check: ({ command: { key, value } }) =>
        key !== 'escalation_webhook' || typeof value !== 'string' || webAddress(value) !== undefined
          ? undefined
          : refuse(
              // The message does not quote the address: its path may be a secret.
              'escalation_webhook must be an http or https address',
              'give one: liza config set escalation_webhook https://…; to unset it: liza config set escalation_webhook null',
            ),
    },
    {
      name: 'branch',
      rule: 'nobody has the integration branch checked out',
      needs: 'facts',
      check: ({ command: { value, facts } }) =>
        facts?.checked_out === undefined ? undefined : branchInUse(String(value), facts.checked_out),
    },
    {
      name: 'no-hole',
      rule: 'nothing that `sandbox_read`, `setup_read` or `sandbox_write` name opens the blackboard, the git directory or the system',
      needs: 'facts',
      check: ({ command: { facts } }) =>
        facts?.hole === undefined ? undefined : refuse(facts.hole, 'Name the one file or folder that is needed'),
    },
  ],
  effects: 'config; null resets a setting to its default',
  change: ({ state, command }) => {
    const { key, value } = settled(state.config, command);
    const kept = keptEntries(state.config, command);
    const notes = [
      ...(kept.length === 0 ? [] : [`unchanged: ${list(kept)}; to remove one: liza config set ${key}.${kept[0]} null`]),
      ...commandNotes(command),
    ];
    return {
      state: { ...state, config: patch(state.config, { [key]: value ?? undefined }) },
      detail: `config ${command.key} set${toWhat(command.value)}`,
      ...(notes.length === 0 ? {} : { notes }),
    };
  },
};

/** Of a command that Liza will run for every task. */
function commandNotes({ key, value, facts }: CommandOf<'config set'>): readonly string[] {
  if (key !== 'test_command' || typeof value !== 'string') return [];
  const [unread] = facts?.shell?.unread ?? [];
  if (unread !== undefined)
    return [
      `it can never be green: Liza runs it with \`sh -c\`, and that shell cannot: ${unread.said}${unread.bash ? `; for bash: liza config set test_command ${shellQuoted(inBash(value))}` : ''}`,
    ];
  const why = provesNothing(value, []);
  return why === undefined ? [] : [`it proves nothing: ${why}`];
}

export const metrics: Row<'metrics'> = {
  name: 'metrics',
  syntax: 'metrics --record',
  summary: 'Recompute the sprint’s metrics.',
  who: ['human', 'supervisor'],
  from: 'board',
  guards: [],
  effects: 'sprint.metrics',
  change: ({ state, command }) => {
    const computed = computeMetrics(state, command.facts?.archived);
    const same = JSON.stringify(state.sprint.metrics) === JSON.stringify(computed);
    if (same) return { state, detail: 'metrics are current', already: true };
    return { state: withSprint(state, { metrics: computed }), detail: 'metrics computed' };
  },
};

export const archive: Row<'archive'> = {
  name: 'archive',
  syntax: 'archive',
  summary: 'Move terminal tasks, with their history, out of state.yaml.',
  who: ['human'],
  from: 'board',
  already: (s) =>
    s.command.tasks === undefined
      ? dueForArchive(s).length === 0
      : s.command.tasks.length > 0 &&
        s.command.tasks.every((id) => s.board.archived.has(id) && findTask(s.state, id) === undefined),
  guards: [
    {
      name: 'terminal',
      rule: 'only terminal tasks',
      check: ({ board, state, command }) => {
        for (const id of command.tasks ?? []) {
          const task = findTask(state, id);
          if (task === undefined && !board.archived.has(id)) return noTask(board, id);
          if (task !== undefined && !isTerminal(task.status)) {
            return refuse(
              `${id} is ${task.status}, not terminal`,
              `Only MERGED, SUPERSEDED and ABANDONED tasks are archived: liza show ${id}`,
            );
          }
        }
        return undefined;
      },
    },
  ],
  effects: 'the tasks leave the state and go to the archive; their ids stay known',
  change: (s) => {
    const gone = new Set(dueForArchive(s).map((task) => task.id));
    const { state } = s;
    return {
      state: {
        ...state,
        tasks: state.tasks.filter((task) => !gone.has(task.id)),
        handoff: Object.keys(state.handoff).some((id) => gone.has(id))
          ? Object.fromEntries(Object.entries(state.handoff).filter(([id]) => !gone.has(id)))
          : state.handoff,
      },
      archive: state.tasks.filter((task) => gone.has(task.id)),
      detail: `archived ${list([...gone])}`,
    };
  },
};

/** The named tasks; without names the terminal ones beyond `archive_after`, those that ended first. */
function dueForArchive({ state, settings, command }: Situation<'archive'>): readonly Task[] {
  if (command.tasks !== undefined) return state.tasks.filter((task) => command.tasks?.includes(task.id));
  const terminal = state.tasks.filter((task) => isTerminal(task.status));
  if (terminal.length <= settings.archive_after) return [];
  const ended = (task: Task) => task.history?.at(-1)?.time ?? '';
  return terminal.toSorted((a, b) => (ended(a) < ended(b) ? -1 : 1)).slice(0, terminal.length - settings.archive_after);
}
