// The sequential specification of a board, and whether a journal keeps it: one task at a time goes from claim to claim, every
// claim has a higher epoch than the one before, only its holder submits, and never from a session of before the claim; only a
// reviewer that took the review and never coded the task gives a verdict; what is merged was announced, once, and nothing
// happens to the task afterwards. No agent has two sessions at once. Pure.

const END = new Set(['MERGED', 'ABANDONED', 'SUPERSEDED']);
const CLAIMABLE = ['UNCLAIMED', 'REJECTED', 'CLAIMED', 'INTEGRATION_FAILED'];
const WHEN = {
  'reserve-claim': CLAIMABLE,
  'claim-task': CLAIMABLE,
  begin: ['CLAIMED'],
  'submit-for-review': ['CLAIMED'],
  'claim-review': ['READY_FOR_REVIEW'],
  'submit-verdict': ['READY_FOR_REVIEW'],
  'reserve-merge': ['APPROVED'],
  merge: ['APPROVED'],
};

const LEADS_TO = {
  'merge-failed': 'INTEGRATION_FAILED',
  'release-claim': 'UNCLAIMED',
  abandon: 'ABANDONED',
  supersede: 'SUPERSEDED',
};

/** `entries`: of the journal, in order. `tasks`: as they are at its end, with their history. What does not fit is named. */
export function checkHistory(entries, tasks) {
  const wrong = [];
  let before = 0;
  const inSession = new Set();
  for (const { seq, command, actor, detail = '' } of entries) {
    if (seq !== before + 1) wrong.push(`entry ${seq} follows entry ${before}`);
    before = seq;
    const [, agent = actor] = /^session of (\S+) /.exec(detail) ?? [];
    if (command === 'register' || command === 'session-end') inSession.delete(agent);
    if (command !== 'session-start') continue;
    if (inSession.has(agent)) wrong.push(`entry ${seq}: a second session of ${agent} begins beside its first`);
    inSession.add(agent);
  }
  for (const task of tasks)
    wrong.push(
      ...checkTask(
        task,
        entries.filter((one) => concerns(one, task.id)),
      ),
    );
  return wrong;
}

/** A batch names all of its tasks: `a, b merged as 1234`, `coder-1 merges a and b as 1234 onto 5678`. */
const BATCH = /^(.+) merged as | merges (.+) as [0-9a-f]{12} onto /;

function concerns({ task, command, detail = '' }, id) {
  if (task === id) return true;
  if (command !== 'merge' && command !== 'reserve-merge') return false;
  const [, merged, announced] = BATCH.exec(detail) ?? [];
  return (merged ?? announced ?? '').split(/, | and /).includes(id);
}

/** Of a claim: said in its detail, or among the lines that it wrote. */
function epochOf({ detail = '', change = [] }) {
  const said = / epoch (\d+)\)/.exec(detail)?.[1];
  if (said !== undefined) return Number(said);
  const lines = change.flatMap(({ ins = [] }) => ins).flatMap((line) => /^ +epoch: (\d+)$/.exec(line)?.[1] ?? []);
  return lines.length === 0 ? undefined : Math.max(...lines.map(Number));
}

const commitsIn = (detail = '') => detail.match(/\b[0-9a-f]{12}\b/g) ?? [];

function checkTask({ id, status, merge_commit: commit }, entries) {
  const wrong = [];
  const say = (entry, what) => wrong.push(`${id}, entry ${entry.seq} (${entry.command} by ${entry.actor}): ${what}`);
  let at = 'UNCLAIMED';
  let holder;
  let reviewer;
  let epoch = 0;
  let merges = 0;
  let announced = [];
  const coders = new Set();
  const used = new Set();
  let over = new Set();
  const claimed = (entry) => {
    const now = epochOf(entry);
    if (now !== undefined && now <= epoch) say(entry, `epoch ${now} after epoch ${epoch}`);
    epoch = Math.max(epoch, now ?? epoch);
    over = new Set(used);
  };
  const own = (entry, who, what) => {
    if (entry.actor !== who) say(entry, `${who} ${what}`);
    if (entry.session === undefined) return;
    if (over.has(entry.session)) say(entry, `its session ${entry.session} is of before the claim`);
    used.add(entry.session);
  };
  for (const entry of entries) {
    const { command, actor, detail } = entry;
    const allowed = WHEN[command];
    if (END.has(at) && allowed !== undefined) say(entry, `the task has ended (${at})`);
    else if (allowed !== undefined && !allowed.includes(at)) say(entry, `the task is ${at}`);
    if (command === 'claim-task') {
      claimed(entry);
      [at, holder] = ['CLAIMED', actor];
      coders.add(actor);
    } else if (command === 'begin' || command === 'submit-for-review') {
      own(entry, holder, 'holds it');
      if (command === 'submit-for-review') [at, reviewer] = ['READY_FOR_REVIEW', undefined];
    } else if (command === 'claim-review') {
      claimed(entry);
      reviewer = actor;
      if (coders.has(actor)) say(entry, 'it coded the task');
    } else if (command === 'submit-verdict') {
      own(entry, reviewer, 'reviews it');
      at = / approved /.test(detail) ? 'APPROVED' : 'REJECTED';
    } else if (command === 'reserve-merge') {
      announced = commitsIn(detail);
    } else if (command === 'merge') {
      merges += 1;
      at = 'MERGED';
      if (commitsIn(detail).some((one) => !announced.includes(one))) say(entry, 'it was not announced');
    } else at = LEADS_TO[command] ?? at;
  }
  if (status === 'MERGED' && merges !== 1) wrong.push(`${id} is MERGED, and the journal has ${merges} merges of it`);
  if (status === 'MERGED' && commit === undefined) wrong.push(`${id} is MERGED without a commit`);
  return wrong;
}

/** The branch at the exchange is the recorded merges, each once, in one line. */
export function checkLine(line, tasks) {
  const recorded = tasks.flatMap(({ id, merge_commit: commit }) => (commit === undefined ? [] : [[commit, id]]));
  const wrong = [];
  for (const [commit, id] of recorded)
    if (!line.includes(commit)) wrong.push(`the merge of ${id} (${commit}) is not on the integration branch`);
  const known = new Set(recorded.map(([commit]) => commit));
  if (known.size !== recorded.length) wrong.push('two tasks have one merge commit');
  for (const commit of line)
    if (!known.has(commit)) wrong.push(`${commit} is on the integration branch, and no task’s`);
  return wrong;
}

/** Faults that a history of real hosts is given, to see that each is noticed: its name, the history with it, what is said. */
export function planted(entries) {
  const before = (entry, command) =>
    entries.findLast((one) => one.command === command && one.task === entry.task && one.seq < entry.seq);
  const after = (entry, ...more) => renumbered(entries.flatMap((one) => (one === entry ? [one, ...more] : [one])));
  const instead = (entry, other) => entries.map((one) => (one === entry ? { ...one, ...other } : one));
  const without = (entry) => entries.filter((one) => one !== entry);
  // One whose work was begun and submitted in one session, which not every kill leaves so.
  const isOfOneSession = (one) => {
    const submit = before(one, 'submit-for-review');
    return submit?.session !== undefined && before(submit, 'begin')?.session === submit.session;
  };
  const merge = entries.findLast((one) => one.command === 'merge' && isOfOneSession(one));
  const [submitted, review] = [before(merge, 'submit-for-review'), before(merge, 'claim-review')];
  const started = before(submitted, 'session-start');
  const [claim, began] = [before(submitted, 'claim-task'), before(submitted, 'begin')];
  const taken = { ...claim, detail: 'claimed (iteration 9, epoch 99)' };
  return [
    ['merged twice', after(merge, merge), /the task has ended/],
    ['a lost entry', without(submitted), /follows entry/],
    ['a lost entry, and the rest renumbered', renumbered(without(submitted)), /the task is CLAIMED/],
    ['submitted by somebody else', instead(submitted, { actor: 'coder-99' }), /holds it/],
    ['submitted twice', after(submitted, submitted), /the task is READY_FOR_REVIEW/],
    ['two processes with one agent', after(started, started), /a second session of \S+ begins/],
    ['a claim of the same epoch', after(claim, claim), /epoch \d+ after epoch \d+/],
    ['reviewed by its coder', instead(review, { actor: before(review, 'claim-task').actor }), /it coded the task/],
    [
      'merged as another commit',
      instead(merge, { detail: merge.detail.replace(/[0-9a-f]{12}/, 'f'.repeat(12)) }),
      /not announced/,
    ],
    ['claimed after its merge', after(merge, { ...taken, task: merge.task }), /the task has ended/],
    [
      'submitted from a session of before a takeover',
      after(began, { ...taken, actor: began.actor }),
      /is of before the claim/,
    ],
  ];
}

const renumbered = (entries) => entries.map((one, at) => ({ ...one, seq: at + 1 }));
