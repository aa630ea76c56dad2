// What a person does on a page: the buttons are those that the table allows, each runs the command that they would type, and
// none is done on a board that is not as they saw it.

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dashboardOn, formOn } from '../../../support/dashboard.ts';
import { listen } from '../../../support/event-stream.ts';
import { project } from '../../../support/project.ts';
import { rejection, UNCHANGED } from '../../../unit/protocol/world.ts';

const blocked = {
  status: 'BLOCKED',
  blocked_reason: 'the spec does not say',
  blocked_questions: ['Which of both?'],
  assigned_to: 'coder-1',
} as const;

test('a button runs the command, as the operator, and the page says what came of it', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const page = (await browser.get('task/t')).body;
  const answer = await browser.post(
    'act',
    { ...formOn(page, 'note', 't'), text: 'look at\nthe importer' },
    { referer: `http://127.0.0.1:${dashboard.port}${browser.base}/task/t` },
  );
  expect([answer.status, answer.headers['location']]).toEqual([303, `${browser.base}/task/t`]);
  expect((await browser.get('task/t')).body).toMatch(/id="said"[^>]*>[^<]*note/);
  const { human_notes: notes } = await self.state();
  expect(notes.at(-1)).toMatchObject({ message: 'look at\nthe importer', for: 't' });
  const entries = [];
  for await (const entry of self.store.journal()) entries.push(entry);
  expect(entries.at(-1)).toMatchObject({ actor: 'human', command: 'note' });
});

test('a question is answered, or its assumption accepted, in one step', async () => {
  const self = project();
  await self.ok(['ask', 'How many times?', '--task', 't', '--assume', 'three times'], { as: 'coder-1' });
  await self.ok(['ask', 'And then?', '--task', 't', '--assume', 'give up'], { as: 'coder-1' });
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const now = (await browser.get('now')).body;
  expect(now).toContain('How many times?');
  expect(now).toContain('three times');
  expect((await browser.post('act', formOn(now, 'accept', 'q-1'))).status).toBe(303);
  const next = (await browser.get('now')).body;
  expect(() => formOn(next, 'accept', 'q-1')).toThrow();
  expect((await browser.post('act', { ...formOn(next, 'answer', 'q-2'), text: 'raise an alarm' })).status).toBe(303);
  const { questions = [] } = await self.state();
  expect(questions.map(({ status, answer }) => [status, answer])).toEqual([
    ['assumed', undefined],
    ['answered', 'raise an alarm'],
  ]);
  expect((await browser.get('now')).body).toContain('Nothing needs you');
});

test('what destroys is asked first, and done after a yes', async () => {
  const self = project({ tasks: [{ id: 'b', ...blocked }] });
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const form = { ...formOn((await browser.get('task/b')).body, 'abandon', 'b'), text: 'there is no way' };
  const asked = await browser.post('act', form);
  expect(asked.status).toBe(200);
  expect(asked.body).toContain('Give b up for good?');
  expect(dashboard.ran).toEqual([]);
  const json = await browser.post('act', form, { accept: 'application/json' });
  expect(JSON.parse(json.body)).toEqual({ kind: 'ask', question: 'Give b up for good?' });
  const yes = formOn(asked.body, 'abandon', 'b');
  expect((await browser.post('act', { ...yes, text: form.text })).status).toBe(303);
  expect((await self.task('b')).status).toBe('ABANDONED');
});

test('a task that changed since it was seen is not acted on: 409, with the news and what the person wrote', async () => {
  const self = project({ tasks: [{ id: 'b', ...blocked }, 'other'] });
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const page = (await browser.get('task/b')).body;
  const form = { ...formOn(page, 'replan', 'b'), text: 'too large' };
  await self.ok(['answer', 'b', 'the first one']);
  const answer = await browser.post('act', form);
  expect(answer.status).toBe(409);
  expect(answer.body).toContain('Since you looked');
  expect(answer.body).toContain('answer');
  expect(answer.body).toContain('too large');
  expect(dashboard.ran).toEqual([]);
});

test('work on another task is no reason to ask again', async () => {
  const self = project({ tasks: ['t', 'other'] });
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const form = formOn((await browser.get('task/t')).body, 'pause', 't');
  await self.ok(['note', '--for=other', 'something else']);
  await self.ok(['pause', 'other']);
  expect((await browser.post('act', form)).status).toBe(303);
  expect((await self.task('t')).paused).toBe(true);
});

test('of two browsers that decide the same, the second is told what the first did', async () => {
  const self = project();
  const dashboard = await dashboardOn(self);
  const [one, other] = [await dashboard.comeIn(), await dashboard.comeIn()];
  const forms = [formOn((await one.get('now')).body, 'pause'), formOn((await other.get('now')).body, 'pause')];
  expect((await one.post('act', forms[0] ?? {})).status).toBe(303);
  const late = await other.post('act', forms[1] ?? {});
  expect(late.status).toBe(409);
  expect(late.body).toContain('pause');
});

test('a button is there exactly where the command is possible', async () => {
  const self = project({ tasks: ['t', { id: 'd', status: 'DRAFT' }, { id: 'b', ...blocked }] });
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const actions = async (path: string) => {
    const names = [...(await browser.get(path)).body.matchAll(/name="action" value="([^"]*)"/g)].map(
      ([, name]) => name,
    );
    return [...new Set(names)].sort();
  };
  expect(await actions('task/t')).toEqual(['abandon', 'note', 'pause', 'replan']);
  expect(await actions('task/d')).toEqual(['abandon', 'finalize', 'note', 'pause']);
  expect(await actions('task/b')).toEqual([
    'abandon',
    'answer',
    'note',
    'pause',
    'replan',
    'unblock',
    'unblock from scratch',
  ]);
  await self.ok(['pause', 't']);
  expect(await actions('task/t')).toEqual(['abandon', 'note', 'replan', 'resume']);
});

test('what the command refuses is told with its reason and the text stays', async () => {
  const self = project({ tasks: [{ id: 'd', status: 'DRAFT', spec_ref: 'specs/gone.md' }] });
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const form = { ...formOn((await browser.get('task/d')).body, 'finalize', 'd'), sure: 'yes' };
  const answer = await browser.post('act', form);
  expect(answer.status).toBe(422);
  expect(answer.body).toContain('specs/gone.md');
  expect((await self.task('d')).status).toBe('DRAFT');
});

test('an alarm stands with what ends it: its anomaly, its task, the branch, the next sprint', async () => {
  const self = project({ tasks: ['t', { id: 'd', status: 'DRAFT' }] });
  const file = self.file('.liza/state.yaml');
  const over = (text: string) => text.replace(/(\nsprint:\n[\s\S]*?\n {2}status: )IN_PROGRESS/, '$1COMPLETED');
  writeFileSync(file, over(readFileSync(file, 'utf8')));
  await self.run('coder-1', { name: 'refused-attempt', agent: 'coder-1', claimed: 'human', command: 'approve t' });
  const found = self.commitTo('integration', { 'other.md': 'mine' }, 'past Liza');
  await self.run('coder-1', { name: 'integration-moved', found });
  self.pass(3600);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const page = () => browser.get('now').then(({ body }) => body);
  const before = await page();
  const cardOf = (name: string) => new RegExp(`${name}[\\s\\S]*?</section>`).exec(before)?.[0] ?? '';
  expect(cardOf('IDENTITY')).toContain('value="anomaly processed"');
  expect(cardOf('INTEGRATION MOVED OUTSIDE LIZA')).toContain('value="accept integration"');
  expect(cardOf('STALE DRAFT')).toContain('value="finalize"');
  const ids = [...before.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);

  const dealt = { ...formOn(before, 'anomaly processed', 'anomaly-1'), text: 'it was I' };
  expect((await browser.post('act', dealt)).status).toBe(303);
  expect((await self.state()).anomalies[0]).toMatchObject({ processed_by: 'human', why: 'it was I' });
  for (const action of ['accept integration', 'sprint start']) {
    const asked = await browser.post('act', formOn(await page(), action));
    expect([action, asked.status]).toEqual([action, 200]);
    expect((await browser.post('act', formOn(asked.body, action))).status).toBe(303);
  }
  const { goal, sprint } = await self.state();
  expect([goal.integration_head, goal.integration_moved]).toEqual([found, undefined]);
  expect(sprint.id).toBe('sprint-2');
  expect(await page()).not.toMatch(/IDENTITY|INTEGRATION MOVED/);
});

test('the number in the menu is how many cards the page of what needs a person has', async () => {
  const self = project({ tasks: ['t', { id: 'b', ...blocked }, { id: 'd', status: 'DRAFT' }] });
  await self.begun('t');
  await self.ok(['ask', 'How often?', '--task', 't', '--assume', 'once'], { as: 'coder-1' });
  await self.ok(['discover', 'no timeout', '--severity', 'high', '--urgency', 'immediate', '--during', 't'], {
    as: 'coder-1',
  });
  await self.ok(['pause']);
  self.pass(3 * 3600);
  const browser = await (await dashboardOn(self)).comeIn();
  const { body } = await browser.get('now');
  const cards = [...body.matchAll(/<section id="p-([^"]*)" class="card need/g)].map(([, id]) => id);
  expect(cards).toEqual(expect.arrayContaining(['switch-pause', 'q-q-1', 'found-disc-1']));
  expect(body).toContain(`>${cards.length}<span class="sr"> things need a person`);
  // What the switch is called once it was on for long is told once, with the switch.
  expect(body).not.toContain('PAUSE FORGOTTEN');
});

test('while a session is on a task, its page shows what it prints, as it prints it', async () => {
  const self = project();
  await self.claim('t');
  await self.run('coder-1', { name: 'session-start', agent: 'coder-1', task: 't' });
  const folder = `${self.context.paths.liza}/agent-logs`;
  mkdirSync(folder, { recursive: true });
  const log = `${folder}/coder-1.20260301T090000-000Z.t.log`;
  writeFileSync(log, 'reads the importer\n\u001b[31mred\u001b[0m <b>bold</b>\n');
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const page = (await browser.get('task/t')).body;
  expect(page).toContain('What coder-1 prints');
  expect(page).toContain('red &lt;b&gt;bold');
  const { seq } = await self.store.read();
  const stream = listen(dashboard, browser, `view=task/t&after=${seq}`);
  await stream.until(({ event }) => event === 'stand');
  appendFileSync(log, 'one line more\n');
  const { data } = await stream.until(({ event }) => event === 'parts');
  expect((data['html'] as Record<string, string>)['printed']).toContain('one line more');
});

test('a link for a viewer is made on the page, and lets one in who only looks', async () => {
  const dashboard = await dashboardOn(project());
  const browser = await dashboard.comeIn();
  const made = await browser.post('share', { form: await browser.word(), role: 'viewer' });
  const code = /#([0-9a-z-]{19})</.exec(made.body)?.[1] ?? '';
  const login = await dashboard.ask('/login', { form: { code }, headers: { origin: dashboard.origin } });
  expect(login.status).toBe(303);
  const cookie = String(login.headers['set-cookie']).split(';')[0] ?? '';
  const page = await dashboard.ask(`${browser.base}/now`, { headers: { cookie } });
  expect(page.body).toContain('You can look, not act.');
});

test('a note on a line of a diff begins with where it is, and reaches the coder of the task', async () => {
  const self = project();
  await self.submitted('t');
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const diff = (await browser.get('task/t/diff/1')).body;
  const link =
    /href="[^"]*\/(note\?[^"]+)" aria-label="Note on line 1">/.exec(diff)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(new URLSearchParams(link.slice(5)).get('file')).toBe('src/app.ts');
  const page = (await browser.get(link)).body;
  const text = /<textarea[^>]*>([^<]*)</.exec(page)?.[1];
  expect(text).toBe('src/app.ts:1 (round 1): ');
  const done = await browser.post('act', { ...formOn(page, 'note', 't'), text: `${text}why 2?` });
  expect(done.status).toBe(303);
  expect((await self.state()).human_notes.at(-1)).toMatchObject({
    for: 't',
    message: 'src/app.ts:1 (round 1): why 2?',
  });
});

test('old and new stand side by side in each round, against what the round was reviewed against', async () => {
  const self = project();
  await self.submitted('t');
  await self.reject('t');
  await self.begun('t');
  self.work('t', { 'src/app.ts': 'export const app = 7;\n' }, 't: again');
  await self.submit('t');
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const codes = async (path: string) =>
    [...(await browser.get(path)).body.matchAll(/<td class="code [a-z]+">(?:<span[^>]*>[^<]*<\/span>)?([^<]*)</g)].map(
      ([, code]) => code,
    );
  expect(await codes('task/t/diff/1')).toEqual(
    expect.arrayContaining(['export const app = 1;', 'export const app = 2;']),
  );
  expect(await codes('task/t/diff/2')).toEqual(
    expect.arrayContaining(['export const app = 1;', 'export const app = 7;']),
  );
  expect(await codes('task/t/diff/2?step=1')).toEqual(['export const app = 2;', 'export const app = 7;']);
});

test('the account is searched by a commit, the merged or the reviewed one, and by words', async () => {
  const self = project({ tasks: ['one', 'other'] });
  const reviewed: Record<string, string> = {};
  for (const id of ['one', 'other']) {
    reviewed[id] = await self.approved(id, { [`src/${id}.ts`]: `export const ${id} = 1;\n`, 'test/app.test.ts': id });
    await self.merge(id);
  }
  const merged = (await self.task('other')).merge_commit ?? '';
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  const found = async (words: string) => {
    const { body } = await browser.get(`account?q=${encodeURIComponent(words)}`);
    return [...body.matchAll(/Every fact on it, checked<span class="sr"> for ([a-z]+)</g)].map(([, id]) => id);
  };
  expect(await found('')).toEqual(['other', 'one']);
  expect(await found(` ${merged.slice(0, 10).toUpperCase()} `)).toEqual(['other']);
  expect(await found(reviewed['one'] ?? '')).toEqual(['one']);
  expect(await found('Build one')).toEqual(['one']);
  expect(await found('code-reviewer-1')).toEqual(['other', 'one']);
  expect(await found('test -d')).toEqual(['other', 'one']);
  expect(await found('0000000')).toEqual([]);
  expect((await browser.get('account?q=0000000')).body).toContain('No merged task has this commit');
});

test('where a task is merged, its open question and a note on its diff say so', async () => {
  const self = project();
  await self.begun('t');
  await self.ok(['ask', 'How often?', '--task', 't', '--assume', 'once'], { as: 'coder-1' });
  self.work('t');
  await self.submit('t');
  await self.approve('t');
  const browser = await (await dashboardOn(self)).comeIn();
  const read = async (path: string) => (await browser.get(path)).body;
  const note = 'note?task=t&round=1&line=1&file=src/app.ts';
  const before = await read('now');
  expect(before).toContain('Nothing waits for it: coder-1 assumed: ');
  expect(before).not.toContain('by now');
  expect(await read(note)).toContain('Its coder reads it');
  await self.merge('t');
  const now = await read('now');
  expect(now).toContain('t is merged by now');
  expect(await read(note)).toContain('no coder works on it any more');
});

test('a line that a verdict names is a link where the diff of that round has it', async () => {
  const self = project();
  await self.submitted('t');
  const agent = 'code-reviewer-1';
  const reason = rejection(['src/app.ts:1 the count is wrong; see docs/none.md:4'], false);
  await self.run(
    agent,
    { name: 'claim-review', task: 't', agent },
    { name: 'submit-verdict', task: 't', verdict: 'REJECTED', reason, facts: UNCHANGED },
  );
  const browser = await (await dashboardOn(self)).comeIn();
  const page = (await browser.get('task/t')).body;
  const [, address = '', anchor = ''] = /href="([^"#]*)#(l-[^"]+)">src\/app\.ts:1</.exec(page) ?? [];
  expect(address).toBe(`${browser.base}/task/t/diff/1`);
  expect(page).not.toContain('docs/none.md:4</a>');
  const diff = (await browser.get('task/t/diff/1')).body;
  expect(diff).toContain(`<tr id="${anchor}"`);
  expect(diff).toContain(`href="#${anchor}">src/app.ts:1</a>`);
});

test('a merged round names the commit that landed; costs lead to their tasks; what asks first says so', async () => {
  const self = project({ tasks: ['one', 'other', { id: 'd', status: 'DRAFT' }] });
  const ids = ['one', 'other'];
  for (const id of ids)
    await self.approved(id, { [`src/${id}.ts`]: `export const ${id};\n`, [`test/${id}.test.ts`]: id });
  for (const id of ids) await self.merge(id);
  const { merge_commit: landed = '', review_commit: reviewed } = await self.task('other');
  expect(landed).not.toBe(reviewed);
  const browser = await (await dashboardOn(self)).comeIn();
  const read = async (path: string) => (await browser.get(path)).body;
  expect(await read('task/other')).toContain(`merged as <code>${landed.slice(0, 12)}</code>`);
  expect(await read('cost')).toContain(`<a class="id" href="${browser.base}/task/other">other</a>`);
  const draft = await read('task/d');
  expect(draft).toContain('>Finalize&hellip;</button>');
  expect(draft).toContain('>Pause</button>');
});

test('a question that comes again says so, and what was answered', async () => {
  const self = project();
  const browser = await (await dashboardOn(self)).comeIn();
  const card = async (id: string) =>
    new RegExp(`<section id="p-q-${id}"[\\s\\S]*?</section>`)
      .exec((await browser.get('now')).body)?.[0]
      .replace(/<[^>]*>/g, '');
  const ask = () => self.ok(['ask', 'How often?', '--task', 't', '--assume', 'once'], { as: 'coder-1' });
  await ask();
  expect(await card('q-1')).not.toContain('again');
  await self.ok(['answer', 'q-1', 'twice <b>']);
  await ask();
  expect(await card('q-2')).toContain('Asked again, 2nd time; you answered q-1: twice &lt;b&gt;');
  await self.ok(['answer', 'q-2', '--accept']);
  await ask();
  expect(await card('q-3')).toContain('Asked again, 3rd time; you answered q-2: once');
  await self.ok(['ask', 'How long?', '--task', 't', '--assume', 'an hour'], { as: 'coder-1' });
  expect(await card('q-4')).not.toContain('again');
});

test('what halts says what becomes of sessions that run, as it is set', async () => {
  const self = project();
  await self.config({ pause_grace: 45 });
  const browser = await (await dashboardOn(self)).comeIn();
  const texts = (await browser.get('now')).body.replace(/<[^>]*>/g, ' ');
  expect(texts).toContain('nothing new starts; sessions have 45 s to finish or hand off');
  expect(texts).toContain('halt for a decision; sessions have 45 s to hand off');
  expect(texts).toContain('end all sessions at once; work stays');
  expect(texts).toContain('nothing lands; sessions go on');
});

test('sessions that told of no tokens are unknown, not nothing, and planning is among the outcomes', async () => {
  const used = { sessions: 3, seconds: 60, input_tokens: 0, output_tokens: 0, uncounted_sessions: 3 };
  const self = project({ tasks: [{ id: 't', usage: used }] });
  const file = self.file('.liza/state.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^goal:\n/m, `goal:\n  usage: ${JSON.stringify({ ...used, sessions: 2 })}\n`));
  const browser = await (await dashboardOn(self)).comeIn();
  const outcome = /<h2>By outcome[\s\S]*?<\/section>/.exec((await browser.get('cost')).body)?.[0] ?? '';
  const rows = [...outcome.matchAll(/<tr>([\s\S]*?)<\/tr>/g)].map(([, row = '']) => row.replace(/<[^>]*>/g, ' '));
  expect(rows.find((row) => row.includes('unclaimed'))).toMatch(/3\s+unknown\s+unknown/);
  expect(rows.find((row) => row.includes('planning'))).toMatch(/2\s+unknown\s+unknown/);
});

test('of a goal that is reached the page says what is left to do, and no more than that', async () => {
  const self = project();
  await self.approved('t');
  await self.merge('t');
  await self.ok(['goal', 'complete']);
  const dashboard = await dashboardOn(self);
  const browser = await dashboard.comeIn();
  expect((await browser.get('now')).body).toContain('liza finish');
  await self.ok(['finish', '--yes']);
  const after = (await browser.get('now')).body;
  expect(after).toContain('The goal is COMPLETED');
  expect(after).not.toContain('liza finish');
});
