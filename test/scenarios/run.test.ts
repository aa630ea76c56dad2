// Stories as transcripts: one command per line, what came of it indented beneath. The files are the
// specification in motion: read them first. A changed outcome shows as a diff of the story;
// SCENARIOS=write rewrites the files, for a person to read again before committing.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/protocol/board.ts';
import type { Command } from '../../src/protocol/command.ts';
import { startCommit } from '../../src/protocol/leases.ts';
import type { State } from '../../src/protocol/state.ts';
import {
  addDraft,
  addReady,
  approve,
  BASE,
  begin,
  claim,
  claimReview,
  definition,
  finalize,
  merged,
  reject,
  reserveMerge,
  SPEC,
  submit,
  UNCHANGED,
  type World,
  world,
} from '../unit/protocol/world.ts';

const folder = import.meta.dirname;

describe('scenarios', () => {
  const files = readdirSync(folder).filter((name) => name.endsWith('.txt'));
  it('there are some', () => expect(files.length).toBeGreaterThanOrEqual(8));
  for (const file of files) {
    it(file.replace('.txt', ''), () => {
      const story = readFileSync(path.join(folder, file), 'utf8');
      const told = play(story);
      if (process.env['SCENARIOS'] === 'write') writeFileSync(path.join(folder, file), told);
      else expect(told).toBe(story);
    });
  }
});

/** Keeps comments and commands, and writes the outcome of each beneath it. */
function play(story: string): string {
  const w = world();
  const lines = story.split('\n').filter((line) => !line.startsWith('  '));
  const told = lines.flatMap((line) =>
    line.trim() === '' || line.startsWith('#') ? [line] : [line, ...outcome(w, line).map((one) => `  ${one}`)],
  );
  return told.join('\n');
}

function outcome(w: World, line: string): readonly string[] {
  const [who = '', verb = '', ...rest] = words(line);
  if (who === 'wait') {
    w.pass(Number.parseInt(verb, 10));
    return [];
  }
  if (who === 'process') {
    w.ends(verb);
    return [];
  }
  if (verb === 'dies') {
    const agent = w.agent(who);
    const task = agent.current_task === undefined ? {} : { task: agent.current_task };
    const at = { expires: '2026-03-01T09:00:00Z', heartbeat: '2026-03-01T09:00:00Z' };
    w.lease({ agent: who, ...task, epoch: agent.epoch ?? 0, holder: 'dead', ...at });
    return [];
  }
  const before = w.state;
  const decision = w.tell(actor(who), command(w, verb, rest));
  if (!decision.ok) return [`✗ ${decision.message}`, ...decision.hint.split('\n').map((hint) => `→ ${hint}`)];
  const notes = (decision.notes ?? []).map((note) => `· ${note}`);
  return [`✓ ${decision.detail}`, ...notes, ...changes(before, w.state)];
}

/** `1` → `1111…`: a commit id that a reader can tell from others. */
const sha = (digit: string): string => digit.repeat(40);

/** `"quoted words"` stay together. */
const words = (line: string): readonly string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');

/** `coder-1@1` is a session that still has epoch 1. */
function actor(who: string): Actor {
  if (who === 'human') return { parts: ['human'] };
  if (who === 'supervisor') return { parts: ['supervisor'] };
  const [id = '', epoch] = who.split('@');
  const part = id.startsWith('planner') ? 'planner' : id.startsWith('coder') ? 'coder' : 'code_reviewer';
  return { id, parts: [part], ...(epoch === undefined ? {} : { epoch: Number(epoch) }) };
}

function command(w: World, verb: string, [task = '', ...rest]: readonly string[]): Command {
  const [first = ''] = rest;
  switch (verb) {
    case 'add-task':
      return first === 'draft'
        ? addDraft(task)
        : addReady(task, rest.length === 0 ? {} : { depends_on: rest.slice(1) });
    case 'finalize':
      return finalize(task);
    case 'claim-task':
      return claim(task, first, {
        start_commit: rest[1] === undefined ? (startCommit(w.task(task)) ?? BASE) : sha(rest[1]),
      });
    case 'begin':
      return begin(task, first === '' ? (startCommit(w.task(task)) ?? '') : first);
    case 'submit-for-review':
      return submit(task, sha(first));
    case 'claim-review':
      return claimReview(task, first);
    case 'approve':
      return approve(task);
    case 'reject':
      return rest.length === 0
        ? { name: 'submit-verdict', task, verdict: 'REJECTED', reason: 'looks wrong', facts: UNCHANGED }
        : reject(task, ...rest);
    case 'reserve-merge':
      return reserveMerge(task, sha(first), w.state.goal.integration_head, rest[1]);
    case 'release-merge':
      return { name: 'release-merge', task };
    case 'integration-moved':
      return { name: 'integration-moved', found: sha(task) };
    case 'accept-integration':
      return { name: 'accept-integration', head: sha(task) };
    case 'wt-merge':
      return first === 'conflict'
        ? { name: 'merge-failed', task, reason: 'conflict in src/client.ts', paths: ['src/client.ts'] }
        : merged(
            task,
            first === '' ? (w.task(task).merge_commit ?? w.task(task).merging?.candidate ?? sha('f')) : sha(first),
          );
    case 'block':
      return { name: 'block', task, reason: first, questions: rest.slice(2) };
    case 'unblock':
      return { name: 'unblock', task, facts: SPEC, ...(options(rest) as object) };
    case 'supersede':
      return {
        name: 'supersede',
        task,
        root_cause: first,
        replacements: [],
        definitions: rest.slice(2).map((id) => definition(id)),
      };
    case 'abandon':
      return { name: 'abandon', task, rationale: first };
    case 'handoff':
      return { name: 'handoff', task, summary: first, next_action: rest[1] ?? '' };
    case 'config-set':
      return { name: 'config set', key: task, value: JSON.parse(first) };
    case 'session-end': {
      const [cost, on] = rest;
      const used = {
        seconds: 60,
        input_tokens: 1000,
        output_tokens: 100,
        ...(cost === '?' ? {} : { cost_usd: Number(cost) }),
      };
      const about = on === undefined ? {} : { task: on };
      return { name: 'session-end', agent: task, provider: 'claude', how: 'exit 0', used, ...about };
    }
    case 'limit':
      return { name: 'limit', task, limit: first as 'budget' };
    case 'replan':
      return { name: 'replan', task };
    case 'plan-done':
      return { name: 'plan done' };
    case 'goal-complete':
      return { name: 'goal complete' };
    case 'abort':
      return { name: 'abort', reason: task };
    case 'pause':
      return { name: 'pause' };
    case 'resume':
      return task === '' ? { name: 'resume' } : { name: 'resume', decision: 'continue', note: task };
    default:
      throw new Error(`no verb ${verb}`);
  }
}

/** `done_when=…` changes the definition; `assessment=…`, `reserve=…` and flags go with the command. */
function options(rest: readonly string[]): object {
  const pairs = rest.map((word) => word.split('='));
  const changes = Object.fromEntries(pairs.filter(([key]) => key === 'done_when'));
  const others = pairs.filter(([key]) => key !== 'done_when').map(([key = '', value]) => [key, value ?? true]);
  return { changes, ...Object.fromEntries(others) };
}

const short = (commit: string | undefined): string => commit?.slice(0, 12) ?? '—';

/** What became different, in the words of the board. */
function changes(before: State, after: State): readonly string[] {
  const lines: string[] = [];
  for (const task of after.tasks) {
    const old = before.tasks.find((one) => one.id === task.id);
    if (old?.status !== task.status) lines.push(`${task.id}: ${old?.status ?? '—'} → ${task.status}`);
    if (task.status === 'CLAIMED' && old?.epoch !== task.epoch) {
      const cycles = task.review_cycles_current ?? 0;
      lines.push(`${task.id}: iteration ${task.iteration}, epoch ${task.epoch}, ${cycles} rejections so far`);
    }
    if (task.status === 'BLOCKED' && old?.status !== 'BLOCKED')
      lines.push(`${task.id}: because ${task.blocked_reason}`);
    if (old?.merging?.candidate !== task.merging?.candidate && task.status === 'APPROVED')
      lines.push(
        `${task.id}: ${task.merging === undefined ? 'no merge under way' : `merge by ${task.merging.by} under way`}`,
      );
    if (old !== undefined && String(old.depends_on) !== String(task.depends_on))
      lines.push(`${task.id}: depends on ${task.depends_on}`);
  }
  for (const [id, agent] of Object.entries(after.agents)) {
    const old = before.agents[id];
    if (old?.status !== agent.status) lines.push(`${id}: ${old?.status} → ${agent.status}`);
  }
  if (before.goal.status !== after.goal.status) lines.push(`goal: ${before.goal.status} → ${after.goal.status}`);
  if (before.goal.integration_head !== after.goal.integration_head)
    lines.push(`integration: ${short(before.goal.integration_head)} → ${short(after.goal.integration_head)}`);
  if (before.sprint.status !== after.sprint.status)
    lines.push(`sprint: ${before.sprint.status} → ${after.sprint.status}`);
  return lines;
}
