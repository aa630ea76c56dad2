import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';
import { inFull } from '../runs.ts';
import { COMMENTS, HANDWRITTEN } from '../support/handwritten-board.ts';
import { inProcess } from '../support/in-process.ts';
import { type BuiltProject, builtProject } from '../support/program.ts';

interface Operation {
  readonly argv: readonly string[];
  /** Agent id; absent: the operator. */
  readonly as?: string;
  readonly stdin?: string;
  /** Records it may change; new ones are named too. A trailing `*`: whatever is appended to that list. */
  readonly may: readonly string[];
}

const VERDICT = `Blockers: 1
- [blocker] specs/vision.md:1 — 401 is retried, too
  Why it matters: "accounts" get locked: # every time
  Suggestion: retry 5xx only
Concerns: 0
Overall: close, one defect.`;

const ODD = 'first: line\n  # no comment\n\n- "quoted"\ttab\nend ';

/** As many as there are rounds, and more. */
const ANOMALIES = Array.from({ length: 20 }, (_, at) => `anomalies/anomaly-${at + 1}`);

const ROUND = (n: number): readonly Operation[] => [
  { argv: ['note', `note ${n}: with "quotes" and # hash`], may: ['human_notes*'] },
  { argv: ['add-task', '--id', `new-${n}`, '--desc', ODD, '--priority', '3'], may: [`tasks/new-${n}`] },
  {
    argv: [
      'amend',
      `new-${n}`,
      '--done',
      'yes: it is there and exported',
      '--scope',
      'null',
      '--spec',
      'specs/vision.md',
    ],
    may: [`tasks/new-${n}`],
  },
  // The goal keeps which text of the spec the plan comes from.
  { argv: ['finalize', `new-${n}`], may: [`tasks/new-${n}`, 'sprint', 'goal'] },
  { argv: ['amend', 'draft-one', '--priority', String((n % 5) + 1)], may: ['tasks/draft-one'] },
  { argv: ['amend', 'open-one', '--desc', `Retry the login ${n}\nin two lines`], may: ['tasks/open-one'] },
  { argv: ['pause', `new-${n}`], may: [`tasks/new-${n}`] },
  { argv: ['resume', `new-${n}`], may: [`tasks/new-${n}`] },
  {
    argv: ['anomaly', '--type', 'spec_ambiguity', '--task', 'claimed-one', '--detail', `n=${n}`],
    as: 'coder-1',
    may: ['anomalies*'],
  },
  {
    argv: ['discover', `the client has no timeout ${n}`, '--severity', 'low', '--during', 'claimed-one'],
    as: 'coder-1',
    may: ['discovered*'],
  },
  {
    argv: ['discovery', 'dismiss', `disc-${n}`, '--reason', 'known: yes'],
    as: 'planner-1',
    may: [`discovered/disc-${n}`],
  },
  { argv: ['config', 'set', 'poll_interval', String(10 + n)], may: ['config'] },
  { argv: ['lock', 'write', '.tasks[open-one].priority', String(((n + 1) % 5) + 1)], may: ['tasks/open-one'] },
  { argv: ['lock', 'write', '.agents.coder-1.context_percent', String(n)], as: 'coder-1', may: ['agents/coder-1'] },
  { argv: ['spec-change', 'specs/vision.md', `round ${n}`], may: ['spec_changes*'] },
  { argv: ['align', `round ${n} is done`], as: 'planner-1', may: ['goal'] },
  { argv: ['replan', `new-${n}`, '--reason', 'wait'], may: [`tasks/new-${n}`] },
  { argv: ['unblock', `new-${n}`, '--done', `it is really there: ${n}`], may: [`tasks/new-${n}`, 'goal'] },
];

const ONCE: readonly Operation[] = [
  {
    argv: ['handoff', 'claimed-one', '--summary', ODD, '--next', 'go: on'],
    as: 'coder-1',
    may: ['handoff/claimed-one', 'tasks/claimed-one', 'agents/coder-1'],
  },
  {
    argv: ['block', 'claimed-one', '--reason', 'no: limit', '--question', 'How # many?'],
    as: 'coder-1',
    may: ['tasks/claimed-one', 'agents/coder-1', 'questions*'],
  },
  {
    argv: ['submit-verdict', 'review-one', 'REJECTED', '-'],
    stdin: VERDICT,
    as: 'code-reviewer-1',
    may: ['tasks/review-one', 'agents/code-reviewer-1', 'agents/coder-2'],
  },
  {
    argv: ['unblock', 'blocked-one', '--scope', '12e4567'],
    may: ['tasks/blocked-one', 'sprint', 'goal', 'questions/q-1'],
  },
  { argv: ['abandon', 'draft-one', '--reason', 'not needed'], may: ['tasks/draft-one', 'goal'] },
  {
    argv: ['supersede', 'claimed-one', '--root-cause', 'too big', '--replacement', 'new-1'],
    as: 'planner-1',
    // What was reported about it is dealt with.
    may: ['questions/q-2', 'tasks/claimed-one', 'tasks/new-1', 'goal', 'sprint', ...ANOMALIES],
  },
  { argv: ['abandon', 'new-2', '--reason', 'enough'], may: ['tasks/new-2', 'goal'] },
  { argv: ['undo'], may: [] }, // an ended task: refused, and nothing changes
  { argv: ['note', 'to be undone'], may: ['human_notes*'] },
  { argv: ['undo'], may: ['human_notes/note-7', 'goal'] },
];

test.runIf(inFull)(
  'a hundred operations change no byte outside their records (in test:all)',
  { timeout: 120_000 },
  async () => {
    const board = builtProject(HANDWRITTEN);
    // The places that the verdict names are looked for in them.
    const [base, reviewed] = [commitOfDigits(board), commitOfDigits(board)];
    const text = HANDWRITTEN.replaceAll('0123456', base).replaceAll('0000001', reviewed);
    board.write({ '.liza/state.yaml': `${text}questions: []\n` });
    const liza = inProcess({ ...board, now: Date.now });
    const operations = [...[1, 2, 3, 4, 5].flatMap(ROUND), ...ONCE];
    expect(operations).toHaveLength(100);
    let before = board.read('.liza/state.yaml');
    for (const { argv, may, ...options } of operations) {
      const label = `liza ${argv.join(' ')}`;
      const { code, stderr } = await liza(argv, options);
      expect(code, `${label}: ${stderr}`).toBe(may.length === 0 ? 1 : 0);
      const after = board.read('.liza/state.yaml');
      if (may.length === 0) expect(after, label).toBe(before);
      else expect(after, `${label} changed nothing`).not.toBe(before);
      expectUntouched(label, before, after, may);
      before = after;
    }
    const end = board.read('.liza/state.yaml');
    for (const comment of COMMENTS) expect(end).toContain(comment);
    for (const sha of [`base_commit: '${base}'`, `review_commit: '${reviewed}'`, 'merge_commit: "1234567"']) {
      expect(end).toContain(sha);
    }
    expect(end).toContain("owner: {team: payments, people: [ada, 'grace']}   # unknown to liza");
    expect(end).toContain('    member: window       # own field');
    expect(end).toContain('  my_own_setting: [1, 2, 3]\n');
    expect(end).toContain("  motto: 'never give up'      # our own field\n");
    expect(board.task('new-3')).toMatchObject({ description: ODD, scope: 'null', done_when: 'it is really there: 3' });
    expect(board.task('blocked-one')['scope']).toBe('12e4567');
    expect(board.task('review-one')['rejection_reason']).toBe(VERDICT);
    board.ok(['log', 'verify']);
    expect(board.ok(['validate']).stdout).toBe('VALID\n');
  },
);

let used = 0;

/** A commit whose short id YAML takes for a number, were it not quoted. */
function commitOfDigits(board: BuiltProject): string {
  const tree = board.git('rev-parse', 'HEAD^{tree}');
  for (;;) {
    used += 1;
    const text = `tree ${tree}\nauthor a <a@b> ${used} +0000\ncommitter a <a@b> ${used} +0000\n\ntry\n`;
    const id = createHash('sha1').update(`commit ${text.length}\0${text}`).digest('hex');
    if (!/^\d{7}/.test(id)) continue;
    board.write({ '../commit.txt': text });
    expect(board.git('hash-object', '-t', 'commit', '-w', board.file('../commit.txt'))).toBe(id);
    return id.slice(0, 7);
  }
}

/** Outside the named records both texts are the same; new records aside, so is their order. */
function expectUntouched(label: string, before: string, after: string, may: readonly string[]): void {
  const old = pieces(before);
  const now = pieces(after);
  const sections = may.map((one) => one.replace(/[*/].*$/, ''));
  const free = (name: string): boolean =>
    may.includes(name) ||
    may.some((one) => one.endsWith('*') && !old.has(name) && name.startsWith(`${one.slice(0, -1)}/`)) ||
    (SPLIT.includes(name) && sections.includes(name));
  for (const [name, piece] of old) {
    if (!free(name)) expect(now.get(name)?.text, `${label}: ${name}`).toBe(piece.text);
  }
  for (const name of now.keys()) if (!old.has(name)) expect(free(name), `${label}: ${name} came`).toBe(true);
  // A section that was empty, or is now, is written anew as a whole.
  const emptied = (name: string): boolean => sections.includes(name) && (isEmpty(old, name) || isEmpty(now, name));
  expect(skeleton(after, now, free, emptied), label).toBe(skeleton(before, old, free, emptied));
}

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const SPLIT = ['tasks', 'agents', 'discovered', 'handoff', 'human_notes', 'spec_changes', 'anomalies', 'questions'];

/** Every record and where it lies; unsplit sections by their key, list items without an id by their place. */
function pieces(text: string): Map<string, Piece> {
  const found = new Map<string, Piece>();
  const add = (name: string, start: number, end: number): void => {
    // A node may reach over the blank and comment lines that follow it; these lie outside.
    const body = text.slice(start, end).trimEnd().split('\n');
    while (body.length > 1 && /^\s*(#.*)?$/.test(body.at(-1) ?? '')) body.pop();
    const line = text.indexOf('\n', start + body.join('\n').trimEnd().length);
    const close = line === -1 ? text.length : line;
    found.set(name, { start, end: close, text: text.slice(start, close) });
  };
  const document = parseDocument(text, { uniqueKeys: true });
  expect(document.errors).toEqual([]);
  if (!isMap(document.contents)) throw new Error('the top level is no map');
  for (const pair of document.contents.items as Pair<Node, Node>[]) {
    const name = nameOf(pair.key);
    const value = pair.value;
    if (SPLIT.includes(name) && isSeq(value) && !value.flow) {
      value.items.forEach((item, at) => {
        const id = isMap(item) ? item.get('id') : undefined;
        add(`${name}/${typeof id === 'string' ? id : at}`, startOf(item as Node), endOf(item as Node));
      });
    } else if (SPLIT.includes(name) && isMap(value) && !value.flow) {
      for (const entry of value.items as Pair<Node, Node>[])
        add(`${name}/${nameOf(entry.key)}`, startOf(entry.key), endOf(entry.value ?? entry.key));
    } else add(name, startOf(pair.key), endOf(value ?? pair.key));
  }
  return found;
}

const nameOf = (key: Node): string => (isScalar(key) ? String(key.value) : '');
const startOf = (node: Node): number => node.range?.[0] ?? 0;
const endOf = (node: Node): number => node.range?.[1] ?? 0;
const isEmpty = (found: ReadonlyMap<string, Piece>, section: string): boolean =>
  ![...found.keys()].some((name) => name.startsWith(`${section}/`));

/** The text with every record cut out to its name; those to be left out go with their line. */
function skeleton(
  text: string,
  found: ReadonlyMap<string, Piece>,
  without: (name: string) => boolean,
  emptied: (name: string) => boolean,
): string {
  let bare = text;
  const byPlace = [...found].sort(([, a], [, b]) => b.start - a.start);
  for (const [name, { start, end }] of byPlace) {
    const [section = name] = name.split('/');
    const cut = without(name) || emptied(section);
    bare = `${bare.slice(0, start)}${cut && name !== section ? '\0' : `<${name}>`}${bare.slice(end)}`;
  }
  bare = bare.replace(/^[ ]*(- )?\0\n/gm, '');
  for (const section of SPLIT.filter(emptied))
    bare = bare.replace(new RegExp(`^(${section}:.*|<${section}>)$`, 'm'), `<${section}>`);
  return bare;
}

test('the judge of this test finds a byte that was changed', () => {
  const board = builtProject(HANDWRITTEN);
  const text = board.read('.liza/state.yaml');
  const judge = (after: string, may: string[]) => () => expectUntouched('', text, after, may);
  expect(judge(text.replace('priority: 2', 'priority: 3'), ['tasks/open-one'])).not.toThrow();
  expect(judge(text.replace('priority: 2', 'priority: 3'), ['tasks/draft-one'])).toThrow();
  expect(judge(text.replace('# between two tasks', '# between'), ['tasks/open-one', 'tasks/claimed-one'])).toThrow();
  expect(judge(text.replace('\n\nsprint:', '\nsprint:'), ['sprint'])).toThrow();
  expect(judge(text.replace('our_wiki:', 'our_wikis:'), ['config'])).toThrow();
  expect(judge(text.replace('# the end', ''), ['our_wiki'])).toThrow();
});
