// Which alarms are on: conditions with their thresholds. Pure: the watcher compares two evaluations, to raise an
// alarm once when its key appears and to clear it once when it goes. tools/alarm-rows.ts tells people what each means.

import { REPORT, triggerOf } from '../../governance/rules/breaker.ts';
import type { Board } from '../../protocol/board.ts';
import { givenUpByAgents } from '../../protocol/goal/ended-early.ts';
import { abandonedPlan } from '../../protocol/goal/plan.ts';
import { deadlinePassed } from '../../protocol/goal/sprint.ts';
import { aboveText, exchangedText } from '../../protocol/messages/above.ts';
import { isUrgent } from '../../protocol/messages/discoveries.ts';
import { plantedIn, plantedText } from '../../protocol/messages/planted.ts';
import { openQuestions } from '../../protocol/messages/questions.ts';
import { EDITED_OUTSIDE, type Notice } from '../../protocol/notice.ts';
import { type State, settings } from '../../protocol/state.ts';
import { setupFailures, setupFailureText } from '../../protocol/work/setup-failures.ts';
import { bringBack } from '../../protocol/work/task-history.ts';
import { counted, gist, listed, whole } from '../../text/format.ts';
import { tellingLines } from '../../text/telling-lines.ts';
import { duration, type Instant } from '../../text/time.ts';
import { type Alarm, alarm, HOUR, minutes, STALE_AFTER, warning } from './alarm.ts';
import { budgetAlarms, diskAlarm } from './budget-rows.ts';
import { exchangeAlarms, hostAlarms, noHostFits, type StoreTrouble, storeAlarms } from './host-rows.ts';
import { nothingTested, queueHeld } from './queue-alarms.ts';
import { rubberStamps } from './rubber-stamp.ts';
import { type AlarmContext, taskAlarms } from './task-rows.ts';
import { troubles } from './trouble-rows.ts';

/** What the watcher knows besides board and clock. */
export interface Surroundings {
  /** When the state last changed. */
  readonly lastChange: Instant;
  /** The first thing wrong with state.yaml. */
  readonly invalid?: string | undefined;
  /** What the store noticed: edits made by hand, settings that wait. */
  readonly notices?: readonly Notice[];
  /** Edits made by hand that a command has taken in. */
  readonly edits?: readonly ExternalEdit[];
  /** Steps under an agent's id that no session of a supervisor stands behind. */
  readonly unbacked?: readonly UnbackedStep[];
  /** Records of such edits that were refused and wait in rejected/. */
  readonly aside?: readonly SetAside[];
  /**
   * Milliseconds since a moment of the past. Without it by the wall clock, whose jumps then age what did not age;
   * the watcher's own goes by a steady clock (alarms/observe.ts).
   */
  age?(stamp: Instant): number;
  /** Whether the integration branch is there; absent: not looked at, or not to be told without git. */
  readonly integrationThere?: boolean | undefined;
  /** Why the database of the board cannot be used; the board is then as it was seen last. */
  readonly store?: StoreTrouble | undefined;
  /** Why the exchange cannot be used. */
  readonly exchange?: string | undefined;
  /** Milliseconds since a kill switch was last seen on; absent: not that anybody knows. */
  readonly sinceHalt?: number | undefined;
}

export interface ExternalEdit {
  readonly seq: number;
  readonly time: Instant;
  readonly detail: string;
}

export interface UnbackedStep {
  readonly seq: number;
  readonly time: Instant;
  /** The command, with its task. */
  readonly step: string;
  readonly actor: string;
}

export interface SetAside {
  /** Relative to the project. */
  readonly file: string;
  readonly record: string;
  readonly reason: string;
}

/** The key of the alarm that tells a notice of the store. */
export const editKey = (notice: Notice): string =>
  (notice.kind === 'invalid-state' ? invalidState(notice.problem) : edited(notice)).key;

const edited = ({ level, message }: Notice): Alarm =>
  (level === 'alarm' ? alarm : warning)('EXTERNAL EDIT', message, gist(message));

/** Every alarm that is on now: about the board as a whole first, then task by task. */
export function alarms(board: Board, now: Instant, extra: Surroundings): readonly Alarm[] {
  const age = extra.age ?? ((stamp: Instant) => now - stamp);
  const halted = Object.keys(board.switches).length > 0;
  const sinceHalt = halted ? 0 : (extra.sinceHalt ?? Number.POSITIVE_INFINITY);
  const context: AlarmContext = { board, now, settings: settings(board.state), age, sinceHalt };
  return [
    ...invalid(extra),
    ...storeAlarms(extra),
    ...exchangeAlarms(extra),
    ...hostAlarms(board),
    ...notices(extra),
    ...externalEdits(context, extra),
    ...unbackedSteps(context, extra),
    ...setAside(extra),
    ...integrationGone(context, extra),
    ...integrationMoved(context),
    ...planted(context),
    ...changedAbove(context),
    ...endedEarly(board.state),
    ...(isOver(board) ? [] : ofTheWork(context, extra)),
  ];
}

/** A goal that is complete or was given up needs nobody: what was on about its work is over with it. */
const isOver = ({ state, switches }: Board): boolean => !isOpen(state.goal.status) || switches.ABORT !== undefined;

const isOpen = (status: State['goal']['status']): boolean => status === 'PLANNING' || status === 'IN_PROGRESS';

function ofTheWork(context: AlarmContext, extra: Surroundings): readonly Alarm[] {
  const { state } = context.board;
  return [
    ...questions(state),
    ...breaker(state),
    ...deadline(context),
    ...budgetAlarms(context.board, context.now),
    ...diskAlarm(context.board),
    ...setupAlarms(state),
    ...queueHeld(state),
    ...nothingTested(state, context.settings),
    ...sandboxOff(context),
    ...checkpoint(context),
    ...pause(context),
    ...stalled(context, extra),
    ...planNotClosed(state),
    ...troubles(state),
    ...discoveries(state),
    ...violations(state),
    ...disputedVerdicts(state),
    ...rubberStamps(state),
    ...noHostFits(context.board),
    ...taskAlarms(state.tasks, context),
  ];
}

/** A board that cannot be read at all has this one only. Keyed by what is wrong: another mistake is another alarm. */
export const invalidState = (error: string): Alarm => alarm('INVALID STATE', gist(error), gist(error), 'INVALID STATE');

/** Why state.yaml cannot be read, if the store says so. */
export const unreadable = (notices: readonly Notice[] = []): string | undefined =>
  notices.find((one) => one.kind === 'invalid-state')?.problem;

function invalid(extra: Surroundings): readonly Alarm[] {
  const error = unreadable(extra.notices) ?? extra.invalid;
  return error === undefined ? [] : [invalidState(error)];
}

/** The notices that become alarms. A pending edit is not among them: it is reported once a command has adopted it. */
const EDITS: ReadonlySet<Notice['kind']> = new Set(['edit-adopted', 'set-aside', 'settings-wait']);

const notices = (extra: Surroundings): readonly Alarm[] =>
  (extra.notices ?? []).filter(({ kind }) => EDITS.has(kind)).map(edited);

/** Edits are a person's right, so this is only told: it passes by itself. */
function externalEdits({ age }: AlarmContext, extra: Surroundings): readonly Alarm[] {
  return (extra.edits ?? [])
    .filter(({ time }) => age(time) < STALE_AFTER)
    .map(({ seq, detail }) => {
      const what = detail.startsWith(EDITED_OUTSIDE) ? detail.slice(EDITED_OUTSIDE.length) : detail;
      return warning('EXTERNAL EDIT', `#${seq}`, `entry ${seq} — ${gist(what)}`);
    });
}

/** Where no supervisor ever ran a session, people play the agents: then it is no news. */
function unbackedSteps({ board, age }: AlarmContext, { unbacked = [] }: Surroundings): readonly Alarm[] {
  if (!Object.values(board.state.agents).some(({ usage, under_way }) => usage ?? under_way)) return [];
  const recent = unbacked.filter(({ time }) => age(time) < STALE_AFTER);
  return [...new Set(recent.map(({ actor }) => actor))].map((actor) => {
    const steps = recent.filter((one) => one.actor === actor);
    const last = steps.at(-1);
    const more = steps.length === 1 ? '' : ` and ${steps.length - 1} before it`;
    const words = `entry ${last?.seq} — ${last?.step}${more} under the id of ${actor}, from no session of it: was it you? See: liza log; what it changed: liza audit`;
    return alarm('STEP WITHOUT SESSION', `${actor} #${last?.seq}`, words, `STEP WITHOUT SESSION:${actor}`);
  });
}

/** Lasts until a person has dealt with the record and taken its file away. */
function setAside(extra: Surroundings): readonly Alarm[] {
  return (extra.aside ?? []).map(({ file, record, reason }) =>
    alarm(
      'EXTERNAL EDIT',
      file,
      `${gist(record, 80)} was set aside: ${gist(reason)} — kept in ${file}; delete it when you have handled it`,
    ),
  );
}

function integrationGone({ board, settings }: AlarmContext, { integrationThere }: Surroundings): readonly Alarm[] {
  const left = board.state.goal.integration_head;
  if (integrationThere !== false || left === undefined) return [];
  const name = settings.integration_branch;
  return [alarm('INTEGRATION GONE', undefined, `${name} was deleted — restore it: ${bringBack(name, left)}`)];
}

/** The alarm is keyed by where the branch is: when it moves once more, that is another alarm. */
function integrationMoved({ board, settings: { integration_branch } }: AlarmContext): readonly Alarm[] {
  const moved = board.state.goal.integration_moved;
  if (moved === undefined) return [];
  const words = `${integration_branch} is at ${moved.found}, Liza left it at ${moved.expected}`;
  const key = `INTEGRATION MOVED:${moved.found}`;
  return [{ ...alarm('INTEGRATION MOVED OUTSIDE LIZA', moved.found, words), key }];
}

/** Whole, because a person answers from what the alarm says. */
function questions(state: State): readonly Alarm[] {
  return openQuestions(state).map(({ id, asked_by, task, text, assume }) => {
    const about = task === undefined ? '' : ` on ${task}`;
    const meanwhile = assume === undefined ? '' : ` (continues with: ${whole(assume)})`;
    const words = `${id} — ${asked_by}${about}: ${whole(text)}${meanwhile} — liza answer ${id} "…"`;
    return warning('QUESTION', id, words);
  });
}

/** One for each cluster: what joins a trigger later is news. It lasts until it is resolved, whatever became of the halt. */
function breaker({ circuit_breaker: { status, current_trigger } }: State): readonly Alarm[] {
  if (status !== 'TRIGGERED') return [];
  const findings = triggerOf(current_trigger)?.findings ?? [];
  if (findings.length === 0) {
    return [alarm('CIRCUIT BREAKER', undefined, 'TRIGGERED by hand — liza analyze --resolve "…"')];
  }
  return findings.map(({ pattern, flaw, matched, evidence }) =>
    alarm(
      'CIRCUIT BREAKER',
      `${pattern}:${gist(matched, 80)}`,
      `${pattern} (${flaw}) — ${evidence.length} × ${gist(matched, 120)}; read ${REPORT}`,
    ),
  );
}

/** A date is a matter of the wall clock, so this one goes by it. */
function deadline({ board: { state }, now }: AlarmContext): readonly Alarm[] {
  const passed = deadlinePassed(state.sprint, now);
  if (passed === undefined) return [];
  const words = `${state.sprint.id} — ${passed}; continue, or reduce the scope: liza resume`;
  return [alarm('DEADLINE PASSED', passed, words)];
}

/** A switch that is on for longer has another alarm of the same family. */
const levelOf = (family: 'CHECKPOINT' | 'PAUSE', age: '30m' | '2h' | '8h', one: Alarm): readonly Alarm[] => [
  { ...one, key: `${family}:${age}`, family },
];

function checkpoint({ board, age: ageOf }: AlarmContext): readonly Alarm[] {
  const since = board.switches.CHECKPOINT;
  if (since === undefined) return [];
  const age = ageOf(since);
  const words = 'waiting for human';
  if (age >= 8 * HOUR) return levelOf('CHECKPOINT', '8h', alarm('CHECKPOINT ABANDONED?', undefined, words));
  if (age >= 2 * HOUR) return levelOf('CHECKPOINT', '2h', alarm('CHECKPOINT STUCK', undefined, words));
  return age >= STALE_AFTER ? levelOf('CHECKPOINT', '30m', warning('CHECKPOINT STALE', undefined, words)) : [];
}

function pause({ board, age: ageOf }: AlarmContext): readonly Alarm[] {
  const since = board.switches.PAUSE;
  if (since === undefined) return [];
  const age = ageOf(since);
  const exists = `the PAUSE file has existed for ${minutes(age)}min`;
  if (age >= 2 * HOUR) return levelOf('PAUSE', '2h', alarm('PAUSE FORGOTTEN', undefined, exists));
  return age >= STALE_AFTER ? levelOf('PAUSE', '30m', warning('STALE PAUSE', undefined, exists)) : [];
}

/** Under a kill switch the switch has its own alarm, and the time it was on is nobody's standstill. */
function stalled({ board, age: ageOf, sinceHalt }: AlarmContext, extra: Surroundings): readonly Alarm[] {
  if (Object.keys(board.switches).length > 0) return [];
  const age = Math.min(ageOf(extra.lastChange), sinceHalt);
  return age >= STALE_AFTER ? [warning('STALLED', undefined, `no progress for ${duration(age)}`)] : [];
}

/**
 * One for the integration branch and one for each task; other words mean that it was tried again and fails otherwise. A
 * coder mends its own commit, so that one is only a warning.
 */
function setupAlarms(state: State): readonly Alarm[] {
  return setupFailures(state).map((failure) => {
    const { on_base, task = '', part, reason, output } = failure;
    const about = on_base === true ? 'base' : `${task}:${part}`;
    const raise = part === 'proof' ? warning : alarm;
    const family = `SET-UP FAILED:${about}`;
    const printed = output === undefined ? '' : ` — ${gist(tellingLines(output, SHOWN_LINES).join(' | '), 900)}`;
    const words = `${setupFailureText(failure)}${printed} — ${failure.remedy}`;
    return {
      ...raise('SET-UP FAILED', about, words, family),
      key: `${family}:${gist(`${reason} ${output ?? ''}`, 200)}`,
    };
  });
}

const SHOWN_LINES = 5;

/** Agents completed the goal over tasks that agents had given up. */
function endedEarly(state: State): readonly Alarm[] {
  const all = state.goal.status === 'COMPLETED' ? givenUpByAgents(state) : [];
  const [first] = all;
  if (first === undefined) return [];
  const named = listed(all.map(({ task, by, why }) => `${task.id} (${by}: ${gist(why, 80)})`));
  const words = `${state.goal.id} — completed with ${counted(all.length, 'task')} that agents gave up: ${named}; see: liza show ${first.task.id}`;
  return [alarm('ENDED EARLY', state.goal.id, words)];
}

/** A person's decision; still, whoever looks at the board must know. */
function sandboxOff({ board: { state }, settings: { sandbox } }: AlarmContext): readonly Alarm[] {
  if (state.goal.confined !== true || sandbox !== 'off') return [];
  const words = 'config.sandbox is off, and agents worked on this goal in a sandbox before: now they run as you';
  return [warning('SANDBOX OFF', undefined, words)];
}

/** The planner was asked twice and left it: it is not called for it again. */
function planNotClosed(state: State): readonly Alarm[] {
  const plan = abandonedPlan(state);
  if (plan === undefined) return [];
  const drafts = plan.drafts.length === 0 ? '' : `; still DRAFT: ${listed(plan.drafts)}`;
  const words = `${state.sprint.id} — ${plan.sessions} planner sessions ended without plan done${drafts}; close it: liza plan done, or say what is missing: liza note "…" --for planner`;
  return [alarm('PLAN NOT CLOSED', state.sprint.id, words)];
}

/** Also when the goal has ended: that is when a person merges the work. Lasts until it is marked as dealt with. */
const planted = ({ board: { state } }: AlarmContext): readonly Alarm[] =>
  state.anomalies.flatMap(({ id, type, details, processed_at }, at) => {
    if (type !== 'git_planted' || processed_at !== undefined) return [];
    const found = plantedIn(details);
    return [alarm('PLANTED IN GIT', `${id ?? `#${at + 1}`} ${found.at}`, whole(plantedText(found)))];
  });

const changedAbove = ({ board: { state } }: AlarmContext): readonly Alarm[] =>
  state.anomalies.flatMap(({ id, type, task, details, processed_at }, at) =>
    type !== 'planted_above' || processed_at !== undefined
      ? []
      : details?.['within'] === true
        ? [alarm('CHANGED WHILE TESTED', id ?? `#${at + 1}`, whole(exchangedText(task, details)))]
        : [alarm('CHANGED ABOVE CHECKOUTS', id ?? `#${at + 1}`, whole(aboveText(task, details)))],
  );

const disputedVerdicts = (state: State): readonly Alarm[] =>
  state.anomalies.flatMap(({ id, type, task, details, processed_at }, at) => {
    if (type !== 'verdict_disputed' || processed_at !== undefined) return [];
    const said = (key: string): string => gist(String(details?.[key] ?? '?'), 80);
    const landed = details?.['status'] === 'MERGED' ? ', and it is merged' : '';
    if (details?.['ended'] !== undefined) {
      const how = `${task} — ${said('agent')} said ${said('first')} of ${said('commit')}, and its session did not end by itself (${said('ended')})`;
      const kept = details['held'] === true ? `; it is not merged until you say so: liza queue release ${task}` : '';
      return [
        alarm('VERDICT DISPUTED', id ?? `#${at + 1}`, `${how}: it may be the word of a program that it ran${kept}`),
      ];
    }
    const words = `${task} — ${said('agent')} said ${said('first')} of ${said('commit')}, then ${said('second')}${landed}: one of the two may be the word of a program that it ran`;
    return [alarm('VERDICT DISPUTED', id ?? `#${at + 1}`, words)];
  });

/** Violations by agents; each alarm lasts until somebody marks its anomaly as dealt with. */
function violations(state: State): readonly Alarm[] {
  return state.anomalies.flatMap(({ id, type, task, details, processed_at }, at) => {
    if (processed_at !== undefined || (type !== 'identity_violation' && type !== 'branch_moved')) return [];
    // A coder may move its own task's branch at any time: what was submitted is pinned.
    if (type === 'branch_moved' && details?.['branch'] === `task/${task}`) return [];
    const said = (key: string): string => gist(String(details?.[key] ?? '?'), 80);
    const key = id ?? `#${at + 1}`;
    if (type === 'identity_violation') {
      const words = `${said('agent')} tried to act as ${said('claimed')} (${said('command')}) and was refused`;
      return [alarm('IDENTITY', key, words)];
    }
    const commit = said('commit');
    const moved =
      details?.['lost'] !== undefined
        ? `${said('branch')} was ${said('lost')} while ${said('agent')} worked; it was at ${commit}`
        : details?.['holds'] === true
          ? `${said('branch')} holds ${commit} of ${said('agent')}, which Liza did not merge`
          : `${said('agent')} moved ${said('branch')} to ${commit}`;
    const ref = said('branch').startsWith('refs/') ? said('branch') : `refs/heads/${said('branch')}`;
    const before = ['lost', 'from'].find((name) => details?.[name] !== undefined);
    const back = before && `; to put it back: git update-ref ${ref} ${said(before === 'lost' ? 'commit' : before)}`;
    const words = `${moved}; it is kept as refs/liza/strays/${commit}${back ?? ''}`;
    return [{ ...alarm('BRANCH MOVED BY AN AGENT', key, words), key: `BRANCH MOVED:${key}` }];
  });
}

function discoveries(state: State): readonly Alarm[] {
  return state.discovered
    .filter(isUrgent)
    .map(({ id, description }) =>
      alarm('IMMEDIATE DISCOVERY', id, `${id} — ${gist(description)} (Planner should wake)`),
    );
}
