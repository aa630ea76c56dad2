// Not the agents: a person's typo, a full disk, a killed supervisor, a second one, a clock that jumps.

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { contained, holds, lines, prevented } from '../harness.mjs';

const HERE = path.join(import.meta.dirname, '..');

export const g50 = {
  id: 'G50',
  agent: '(human) saves broken YAML while agents work',
  stated: 'everyone pauses, the line is named, nothing is lost; fixed: all goes on',
  plant: [
    {
      take: { file: 'src/store/transaction.ts', find: 'if (refused !== undefined) return refused;', put: '' },
      red: /broken was let through|written over|had not come/,
    },
  ],
  coder: `
    begin; code 1; proof 1; commit 'a: made'; echo READY
    await_signal broken
    try broken liza submit-for-review a "$(git rev-parse HEAD)"
    for n in $(seq 100); do if submit; then break; fi; sleep 0.2; done; leave 42 submitted`,
  reviewer: `approve; leave 0 approved`,
  async play(w) {
    const crew = await w.crew({ wait: false });
    await w.until('it is at work', () => /^READY$/m.test(w.logs()));
    const good = w.read('.liza', 'state.yaml');
    const at = good.indexOf('tasks:');
    w.line = good.slice(0, at).split('\n').length + 1;
    const broken = `${good.slice(0, at)}tasks:\n\t- [ oops\n${good.slice(at)}`;
    fs.writeFileSync(w.file('.liza', 'state.yaml'), broken);
    w.signal('broken');
    await w.until('the alarm', () => /INVALID STATE/.test(w.alerts()));
    w.status = w.liza(['status']).said;
    w.note = w.liza(['note', 'can you hear me?']);
    await w.until('the agent met it', () => w.attempts('broken').length > 0);
    w.kept = w.read('.liza', 'state.yaml') === broken;
    fs.writeFileSync(w.file('.liza', 'state.yaml'), good);
    await w.until('it is merged', () => w.task().status === 'MERGED');
    await crew.stop();
  },
  check(w) {
    w.refused('broken', new RegExp(`line ${w.line}\\b`));
    holds(w.note.code === 4 && w.note.said.includes(`line ${w.line}`), `note: ${w.note.code} ${w.note.said}`);
    holds(w.status.includes('invalid') && /make a|BLACKBOARD|CLAIMED/.test(w.status), `status: ${w.status}`);
    holds(w.kept, 'the broken file was written over');
    holds(w.ok(['log', 'verify']).said.includes('intact'), 'the journal is not intact');
    return contained(
      `writes exit 4 and name line and column, the file is left alone, alarm INVALID STATE; once repaired, the task was merged`,
    );
  },
};

export const g51 = {
  id: 'G51',
  agent: '(world) the disk is full in the middle of a write',
  stated: 'old state intact, clear error, goes on when there is room',
  plant: [
    {
      take: {
        file: 'src/store/transaction.ts',
        find: 'if (rewrite) writeTemporary(files, temporary, bytes, true);',
        put: 'if (rewrite) for (const file of [paths.state, temporary]) writeTemporary(files, file, bytes, true);',
      },
      red: /state\.yaml/,
    },
  ],
  coder: `
    echo READY; await_signal full
    try full begin
    try full-again begin
    for n in $(seq 100); do if begin; then break; fi; sleep 0.2; done
    code 1; proof 1; commit 'a: made'; submit; leave 42 submitted`,
  async play(w) {
    const disk = path.join(w.base, 'disk-is-full');
    const env = { NODE_OPTIONS: `--import ${path.join(HERE, 'faults.mjs')}`, GAUNTLET_DISK: disk };
    const crew = await w.crew({ wait: false, env });
    await w.until('it is at work', () => /^READY$/m.test(w.logs()));
    w.before = w.read('.liza', 'state.yaml');
    fs.writeFileSync(disk, '');
    w.signal('full');
    w.note = w.liza(['note', 'is there room?'], { env });
    // Its log is on that disk too: what it says is heard from its supervisor.
    w.hears(crew);
    // In the sandbox it waits for an answer, which has no room either.
    if (w.sandboxed) await wait(7000);
    else await w.until('it was refused', () => w.attempts('full-again').length > 0);
    w.during = w.read('.liza', 'state.yaml');
    w.verified = w.liza(['log', 'verify']);
    fs.rmSync(disk);
    await w.until('the crew ends', () => crew.ended());
  },
  check(w) {
    if (w.sandboxed) w.tried('full');
    else for (const name of ['full', 'full-again']) w.refused(name, /ENOSPC|no space|full/i);
    holds(w.note.code !== 0 && /ENOSPC|no space|full/i.test(w.note.said), `note: ${w.note.code} ${w.note.said}`);
    holds(w.during === w.before, 'state.yaml was changed while the disk was full');
    holds(w.verified.code === 0, w.verified.said);
    holds(w.task().status === 'READY_FOR_REVIEW', `it is ${w.task().status}`);
    holds(w.ok(['log', 'verify']).said.includes('intact'), 'the journal is not intact');
    return contained(
      'each write failed with the reason and left the old state and a whole journal; with room it went on',
    );
  },
};

export const g52 = {
  id: 'G52',
  agent: '(world) the supervisor is killed -9, at any instant, again and again',
  stated: 'next start reconciles: no half-claimed task, no lost commit, no orphan process',
  plant: [
    {
      take: {
        file: 'src/store/lease-records.ts',
        find: "return isAlive(context, record.process) ? 'alive' : 'dead';",
        put: "return 'alive';",
      },
      red: /it is \w+ \(kills|no session of an agent took place/,
    },
  ],
  coder: `
    begin || leave 42 refused
    if [ -e src/a.mjs ]; then value=$(tr -dc 0-9 < src/a.mjs | head -c 4); else value=0; fi
    code $((value + 1)); proof $((value + 1)); try commit commit "a: $((value + 1))"; sleep 0.3; submit || leave 42 refused; leave 42 submitted`,
  reviewer: `sleep 0.3; approve; leave 0 approved`,
  async play(w) {
    w.instants = [];
    for (let n = 0; n < 6 && w.task().status !== 'MERGED'; n += 1) {
      const crew = await w.crew({ wait: false });
      const after = 150 + Math.floor(Math.random() * 1800);
      await wait(after);
      w.instants.push(after);
      await crew.kill();
    }
    // The last one is left alone: it ends by itself when there is nothing more to do.
    w.last = await w.crew({ wait: false });
    await w.until(`an end after kills at ${w.instants.join(', ')} ms`, () => w.last.ended());
  },
  check(w) {
    holds(w.instants.length > 0, 'nothing was killed');
    const when = `(kills at ${w.instants.join(', ')} ms)`;
    holds(w.task().status === 'MERGED', `it is ${w.task().status} ${when}`);
    for (const { said } of w.attempts('commit').filter(({ code }) => code === 0)) {
      const id = said.split('\n').at(-1);
      holds(w.run('git', ['for-each-ref', '--contains', id]).stdout !== '', `${id} is lost ${when}`);
    }
    holds(w.agentsAlive().length === 0, `orphans: ${w.agentsAlive().join(' ')} ${when}`);
    const left = fs.readdirSync(w.file('.worktrees')).filter((name) => !name.startsWith('.'));
    holds(left.length === 0, `folders left: ${left} ${when}`);
    const doctor = w.liza(['doctor']).said;
    holds(!/broken|half/.test(doctor), `${doctor} ${when}`);
    holds(w.ok(['validate']).said.includes('VALID'), 'the board is not valid');
    return contained(
      `killed ${w.instants.length} times; then merged, every commit reachable, no process, folder or claim left`,
    );
  },
};

export const g53 = {
  id: 'G53',
  agent: '(human) starts two supervisors with one id',
  stated: 'the second is refused while the first’s lease is live',
  plant: [{ take: 'register/no-live-lease', red: /had not come: the crew ends|the second ended/ }],
  coder: `try work true; sleep 60`,
  async play(w) {
    const first = await w.crew({ wait: false, env: { LIZA_AGENT_ID: 'coder-1' } });
    await w.until('the first is at work', () => w.attempts('work').length > 0);
    w.second = await w.crew({ env: { LIZA_AGENT_ID: 'coder-1' } });
    w.alive = !first.ended() && w.agentsAlive().length > 1;
    await first.stop();
    w.third = await w.crew({ wait: false, env: { LIZA_AGENT_ID: 'coder-1' } });
    await w.until('the id is free again', () => w.attempts('work').length > 1);
    await w.third.stop();
  },
  check(w) {
    holds(w.second.code() === 1, `the second ended with ${w.second.code()}`);
    holds(/coder-1 is alive in another process/.test(w.second.said()), w.second.said());
    holds(w.alive, 'the first was disturbed');
    return prevented('the second is refused and says why; the first works on; when it is gone the id is free');
  },
};

export const g54 = {
  id: 'G54',
  agent: '(world) the clock jumps forward by an hour, and back',
  stated: 'no lease stolen early, none immortal',
  plant: [
    {
      take: {
        file: 'src/store/lease-records.ts',
        find: "...(holder === 'alive' ? { remaining: record.monotonic_end - sinceBoot(context) } : {}),",
        put: '',
      },
      red: /the lease was stolen|the first has ended|had not come: the second takes over/,
    },
  ],
  config: { lease_duration: 6, heartbeat_interval: 1 },
  coder: `
    echo "AT WORK $LIZA_AGENT_ID"
    if [ "$LIZA_AGENT_ID" = coder-1 ]; then begin; echo BEGUN; for n in $(seq 600); do echo tick; sleep 0.1; done; fi
    if [ "$LIZA_AGENT_ID" = coder-2 ]; then try taken true; sleep 60; fi`,
  async play(w) {
    const clock = path.join(w.base, 'clock');
    const set = (seconds) => {
      fs.writeFileSync(`${clock}.new`, String(seconds));
      fs.renameSync(`${clock}.new`, clock);
    };
    set(0);
    const shifted = { NODE_OPTIONS: `--import ${path.join(HERE, 'later.mjs')}`, GAUNTLET_CLOCK: clock };
    const first = await w.crew({ wait: false, env: { ...shifted, LIZA_AGENT_ID: 'coder-1' } });
    await w.until('the first is at work', () => /^BEGUN$/m.test(w.logs()));
    const second = w.start(['agent', 'coder', '--agent', 'as-coder'], {
      env: { ...shifted, LIZA_AGENT_ID: 'coder-2' },
    });
    await w.until('the second waits', () => w.board().agents['coder-2'] !== undefined);
    set(3600);
    await wait(3000);
    w.hour = w.liza(['status'], { env: shifted }).said;
    w.jumped = Date.parse(JSON.parse(w.read('.liza', 'agents', 'coder-1.json')).heartbeat) - Date.now();
    w.early = w.task().assigned_to;
    set(0);
    await wait(1500);
    holds(w.early === 'coder-1', 'the lease was stolen when the clock jumped forward');
    holds(w.task().assigned_to === 'coder-1', 'the lease was stolen when the clock jumped back');
    holds(!first.ended(), `the first has ended: ${first.said()}`);
    // Now it is frozen: alive, but nobody renews. Its lease was written an hour ahead, and must end all the same.
    const begun = performance.now();
    process.kill(first.pid, 'SIGSTOP');
    await w.until('the second takes over', () => w.task().assigned_to === 'coder-2', 30);
    w.after = (performance.now() - begun) / 1000;
    await w.until('and works', () => w.attempts('taken').length > 0);
    process.kill(first.pid, 'SIGCONT');
    await second.stop();
    await first.stop();
  },
  check(w) {
    holds(w.jumped > 3_000_000, 'the clock of the supervisor did not jump');
    holds(w.after >= 3 && w.after < 25, `a frozen holder’s lease of 6 s ended after ${w.after.toFixed(1)} s`);
    return contained(`nothing was stolen by either jump; the lease of a frozen holder ended after its 6 s`);
  },
};

export const g76 = {
  id: 'G76',
  agent: '(human) makes a second board in a worktree of the same repository, then copies one there',
  stated: 'refused; nobody mends another board’s work',
  plant: [
    {
      take: { file: 'src/git/board-owner.ts', find: 'return (owner ?? others[0])?.root;', put: 'return undefined;' },
      red: /a second board was made/,
    },
    {
      take: {
        file: 'src/cli/open-project.ts',
        find: 'const elsewhere = anyBoard ? undefined : boardElsewhere(board.disk, root);',
        put: 'const elsewhere = undefined;',
      },
      red: /mending: \d/,
    },
  ],
  coder: `
    begin; code 1; proof 1; commit 'a: made'; echo READY
    await_signal go
    try submit submit; leave 42 submitted`,
  reviewer: `approve; leave 0 approved`,
  async play(w) {
    const crew = await w.crew({ wait: false });
    await w.until('it is at work', () => /^READY$/m.test(w.logs()));
    const linked = path.join(w.base, 'linked');
    w.git('worktree', 'add', '-q', linked, '-b', 'side');
    const there = (...argv) => w.liza(argv, { cwd: linked });
    w.init = there('init', 'make b');
    w.inFolder = w.liza(['init', 'make b'], { cwd: w.file('.worktrees', 'a') });
    holds(!fs.existsSync(path.join(linked, '.liza')), 'a second board was made');
    fs.cpSync(w.file('.liza'), path.join(linked, '.liza'), { recursive: true });
    w.git('update-ref', 'refs/liza/seen/elsewhere', 'HEAD');
    // What the crew itself changes meanwhile is left out.
    const shared = () =>
      w.git('for-each-ref', 'refs/liza/seen/elsewhere', 'refs/liza/attempts', 'refs/heads/task') +
      w.exists('.worktrees', 'a', 'src', 'a.mjs');
    const before = shared();
    w.mends = [
      there('doctor', '--fix'),
      there('run', '--until-idle', '--coder', 'as-coder', '--agent', 'as-coder'),
      there('release-claim', 'a', '--reason', 'taken away'),
    ];
    w.touched = shared() !== before;
    w.git('update-ref', '-d', 'refs/liza/seen/elsewhere');
    w.signal('go');
    await w.until('it is merged', () => w.task().status === 'MERGED');
    await crew.stop();
  },
  check(w) {
    for (const ran of [w.init, w.inFolder])
      holds(ran.code === 1 && ran.said.includes(w.root), `init: ${ran.code} ${ran.said}`);
    holds(!w.touched, `the copy touched what is not its own: ${w.mends.map(({ said }) => said).join('\n')}`);
    for (const ran of w.mends) holds(ran.code !== 0 && ran.said.includes(w.root), `mending: ${ran.code} ${ran.said}`);
    w.succeeded('submit');
    return prevented('refused with the place of the board; a copy of it opened nothing of git; the task was merged');
  },
};

export const g77 = {
  id: 'G77',
  agent: '(human) has a set-up command that fails',
  stated: 'an alarm with its output; mended, it goes on at once',
  plant: [
    {
      take: { file: 'src/alarms/rules/evaluate.ts', find: '...setupAlarms(state),', put: '' },
      red: /had not come: the alarm/,
    },
    {
      take: {
        file: 'src/protocol/work/setup-failures.ts',
        find: "if (failure.rules !== setupRules(now.settings)) return 'a setting changed';",
        put: '',
      },
      red: /had not come: it goes on/,
    },
    {
      take: {
        file: 'src/supervisor/rules/claim-order.ts',
        find: 'if (unprepared !== undefined) return setupFailureText(unprepared);',
        put: '',
      },
      red: /it was tried \d+ times/,
    },
  ],
  tasks: [{}, { id: 'b', validate: 'node test/a.test.mjs' }],
  coder: `begin; code 1; proof 1; commit 'a: made'; try submit submit; leave 42 submitted`,
  reviewer: `approve; leave 0 approved`,
  async play(w) {
    const counted = path.join(w.base, 'counted');
    fs.mkdirSync(counted);
    w.ok(['config', 'set', 'sandbox_write', JSON.stringify([counted])]);
    const fails = `echo try >> ${counted}/runs; echo the registry says E404 >&2; exit 7`;
    w.ok(['config', 'set', 'post_worktree_cmd', fails]);
    const agents = [w.start(['watch']), w.start(['agent', 'coder', '--agent', 'as-coder'])];
    await w.until('the alarm', () => /SET-UP FAILED.*ended with 7.*E404/.test(w.alerts()));
    // As long as nothing changes it is not tried again, whoever asks.
    await wait(5000);
    w.runs = lines(fs.readFileSync(`${counted}/runs`, 'utf8')).length;
    w.status = w.liza(['status']).said;
    w.shown = w.liza(['show', 'a']).said;
    w.ok(['config', 'set', 'post_worktree_cmd', 'true']);
    // Before anybody else starts, who would try it anyway.
    await w.until('it goes on', () => w.task().status !== 'UNCLAIMED', 30);
    agents.push(w.start(['agent', 'code-reviewer', '--agent', 'as-reviewer']));
    await w.until('it is merged', () => w.task().status === 'MERGED');
    await w.until('the alarm is over', () => /cleared: .*SET-UP FAILED/.test(w.alerts()));
    for (const one of agents) await one.stop();
  },
  check(w) {
    // The claim, and the trial on the base that began before its failure was recorded.
    holds(w.runs <= 2, `it was tried ${w.runs} times`);
    holds(/Nothing moves[\s\S]*ended with 7[\s\S]*config set/.test(w.status), `status: ${w.status}`);
    holds(/Set-up[\s\S]*E404/.test(w.shown), `show: ${w.shown}`);
    return contained('an alarm with the end of its output; status and show name it; not repeated; mended, it went on');
  },
};
