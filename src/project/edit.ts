// `liza edit`: state.yaml in the user's editor, like visudo. The copy is edited under a lock of its own;
// the blackboard's lock is held only for the final merge, so agents go on meanwhile and an editor left
// open overnight loses nobody's write.

import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { realDisk } from '../ports/disk.ts';
import { OPERATOR } from '../protocol/board.ts';
import { guardedSetting } from '../protocol/config.ts';
import { decide } from '../protocol/decide.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { Notice } from '../protocol/notice.ts';
import { RECORD_SECTIONS } from '../protocol/state.ts';
import { isFields } from '../protocol/values.ts';
import type { BoardContext } from '../store/context.ts';
import { inTransaction } from '../store/in-transaction.ts';
import { loadBoard } from '../store/load-board.ts';
import { openStore } from '../store/open.ts';
import { missingBoard, unlocked } from '../store/refusals.ts';
import { keepText, WAITING_SETTING } from '../store/rejected.ts';
import { type BoardDocument, parseDocument } from '../store/yaml/document.ts';
import { parseStrict } from '../store/yaml/strict.ts';

export interface Edited {
  readonly ok: true;
  readonly message: string;
  readonly notices: readonly Notice[];
  /** Something the user typed was not adopted. */
  readonly aside: number;
}

interface EditRequest {
  /** Program and arguments; the file is added. */
  readonly editor: readonly string[];
  readonly adopt: boolean;
  /** Asked after a file that cannot be read; true: back to the editor. */
  readonly again: (problem: string) => Promise<boolean>;
}

export async function edit(context: BoardContext, request: EditRequest): Promise<Edited | Refusal> {
  const { paths } = context;
  mkdirSync(dirname(paths.editLock), { recursive: true });
  const lock = await context.locks.acquire(paths.editLock, 0);
  if ('busy' in lock) {
    return refuse(
      'someone is already editing the blackboard',
      `look for ${lock.busy.join(', ') || 'another liza edit'}`,
      2,
      'edit-lock',
    );
  }
  if (!('release' in lock)) return unlocked(lock, context);
  try {
    return await editLocked(context, request);
  } finally {
    lock.release();
  }
}

async function editLocked(context: BoardContext, request: EditRequest): Promise<Edited | Refusal> {
  const original = await boardText(context);
  if (typeof original !== 'string') return original;
  const copy = join(dirname(context.paths.editLock), `edit-${context.processes.pid}.yaml`);
  realDisk.writeFileSync(copy, original);
  try {
    for (;;) {
      const failed = await runEditor(request.editor, copy);
      if (failed !== undefined) return failed;
      const text = realDisk.readFileSync(copy, 'utf8');
      const base = await parseDocument(original, { recordSections: RECORD_SECTIONS });
      if (text === original && base.ok) return { ok: true, message: 'nothing changed', notices: [], aside: 0 };
      const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
      if (parsed.ok) return await merge(context, request, text, base.ok ? base.doc : undefined);
      const problem = `line ${parsed.line}, column ${parsed.column}: ${parsed.message}`;
      if (await request.again(problem)) continue;
      const kept = keepText(context, 'edit.yaml', text);
      return refuse(
        `the edited file cannot be read: ${problem}`,
        `${parsed.hint}; your version is kept in ${kept}`,
        1,
        'yaml',
      );
    }
  } finally {
    rmSync(copy, { force: true });
  }
}

/** `base` undefined: state.yaml itself was broken, and this is the mended one. */
function merge(context: BoardContext, request: EditRequest, text: string, base: BoardDocument | undefined) {
  return inTransaction<Edited>(
    context,
    async (transaction) => {
      const authority = { kind: request.adopt ? 'adopt' : 'person' } as const;
      const absorbed = await transaction.weigh(text, authority, base);
      if ('ok' in absorbed) return absorbed;
      const before = transaction.notices.length;
      transaction.commitEdit(absorbed, text);
      const { adopted, aside } = absorbed.merge;
      // That this edit was adopted is the message itself.
      const notices = transaction.notices.filter(({ kind }, at) => at < before || kind !== 'edit-adopted');
      const message = adopted.length === 0 ? 'no record changed' : `adopted: ${adopted.join('; ')}`;
      return { ok: true, message, notices, aside: aside.length };
    },
    base === undefined ? 'leave' : 'absorb',
  );
}

/** What is edited: the file, or the text of a board that is kept elsewhere. */
async function boardText(context: BoardContext): Promise<string | Refusal> {
  if (context.shared === undefined) return realDisk.readFileSync(context.paths.state, 'utf8');
  const loaded = await loadBoard(context);
  return 'doc' in loaded ? loaded.doc.text : 'none' in loaded ? missingBoard(context) : loaded;
}

function runEditor(editor: readonly string[], file: string): Promise<Refusal | undefined> {
  const [program = 'vi', ...args] = editor;
  return new Promise((resolve) => {
    const child = spawn(program, [...args, file], { stdio: 'inherit' });
    child.on('error', (error) =>
      resolve(
        refuse(
          `the editor ${program} did not start: ${error.message}`,
          'set EDITOR, for example EDITOR=nano',
          5,
          'editor',
        ),
      ),
    );
    child.on('exit', (code, signal) =>
      resolve(
        code === 0
          ? undefined
          : refuse(`the editor ended with ${signal ?? code}; nothing was changed`, 'run liza edit again', 1, 'editor'),
      ),
    );
  });
}

interface Waiting {
  readonly file: string;
  readonly key: string;
  readonly value: unknown;
}

/**
 * For `liza edit --adopt`: settings that were changed by hand and wait for the operator's consent, because they execute,
 * spend or loosen something. Each is in rejected/ as `<n>-config-<key>.yaml`.
 */
export async function waitingSettings({ paths, files }: BoardContext): Promise<readonly Waiting[]> {
  const waiting = new Map<string, Waiting>();
  const names = files.list(paths.rejected).filter((name) => WAITING_SETTING.test(name));
  for (const name of [...names].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))) {
    const file = join(paths.rejected, name);
    const parsed = await parseStrict(files.read(file)?.toString('utf8') ?? '');
    const [key, value] = parsed.ok && isFields(parsed.value) ? (Object.entries(parsed.value)[0] ?? []) : [];
    // The newest value of a setting counts.
    if (key !== undefined && guardedSetting(key)) waiting.set(key, { file, key, value });
  }
  return [...waiting.values()];
}

export async function adoptWaiting(
  context: BoardContext,
  waiting: readonly Waiting[],
): Promise<readonly string[] | Refusal> {
  const store = openStore(context);
  const done: string[] = [];
  for (const { file, key, value } of waiting) {
    const outcome = await store.transact({ actor: OPERATOR, command: 'config set' }, (board, now) =>
      decide(board, { name: 'config set', key, value }, { actor: OPERATOR, now }),
    );
    if (!outcome.ok) return outcome;
    renameSync(file, `${file}.adopted`);
    done.push(`${key}: ${JSON.stringify(value)}`);
  }
  return done;
}
