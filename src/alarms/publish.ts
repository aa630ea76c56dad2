// Where alarms go: alerts.log, the desktop, the webhook, ESCALATION. Of several watchers on one board only the one
// that holds cache/watch/lock publishes; the others see the same and stay silent, and one of them takes over when it
// ends. A disk that is full or gone costs the publishing, never the watching.
// Order: what is published next is in cache/watch before anybody is called, so that a killed watcher loses no message.

import { basename, join } from 'node:path';
import { errorCode, replaceFile } from '../ports/files.ts';
import type { Board } from '../protocol/board.ts';
import type { BoardContext } from '../store/context.ts';
import { redact, safeLine, secretsOf } from '../text/redact.ts';
import type { Instant } from '../text/time.ts';
import { AlertsLog } from './alerts-log.ts';
import { type Batch, openBatch } from './batch.ts';
import { type Desktop, openDesktop } from './desktop.ts';
import type { Observation } from './observe.ts';
import { PublisherLock } from './publisher-lock.ts';
import { type Alarm, type AlarmChanges, type AlarmsOn, alarmChanges, isChanged } from './rules/alarm.ts';
import { escalation } from './rules/escalation.ts';
import { type AlarmGroup, messageOf } from './rules/grouping.ts';
import { loadState, type PendingMessage, saveState } from './saved-state.ts';
import { payload } from './webhook.ts';
import { WebhookQueue } from './webhook-queue.ts';

export interface PublisherOptions {
  readonly desktop?: Desktop | undefined;
  readonly webhookTimeoutMs?: number | undefined;
  /** Something could not be published: why. */
  trouble?(line: string): void;
}

export class Publisher {
  readonly #context: BoardContext;
  readonly #options: PublisherOptions;
  readonly #folder: string;
  readonly #lock: PublisherLock;
  readonly #secrets: readonly string[];
  readonly #log: AlertsLog;
  readonly #desktop: Desktop | undefined;
  readonly #batch: Batch;
  #on: AlarmsOn;
  #haltedAt: Instant | undefined;
  #isHalted = false;
  /** Lines that a watcher wrote to the log just before it died. */
  #alreadyLogged: ReadonlySet<string> = new Set();
  #webhookUrl: string | undefined;
  #webhook: WebhookQueue | undefined;
  /** The id of the next message. */
  #messageId: string;
  /** A message that an earlier watcher gathered. */
  #inherited: PendingMessage | undefined;
  /** What fails, and why: the same reason is not reported again. */
  readonly #failing = new Map<string, string>();

  constructor(context: BoardContext, options: PublisherOptions) {
    this.#context = context;
    this.#options = options;
    this.#folder = join(context.paths.liza, 'cache', 'watch');
    this.#lock = new PublisherLock(context, this.#folder);
    this.#secrets = secretsOf(context.env);
    this.#log = new AlertsLog(context);
    this.#desktop = options.desktop ?? openDesktop(context);
    this.#batch = openBatch(context.clock, (group) => this.#send(group));
    this.#messageId = context.random.uuid();
    const { on, haltedAt } = loadState(context.files, this.#folder);
    this.#on = on;
    this.#haltedAt = haltedAt;
  }

  /** Alarms that were on when a watcher last published: they are not new. */
  get on(): AlarmsOn {
    return this.#on;
  }

  /** When a watcher that published last saw a kill switch on. */
  get haltedAt(): Instant | undefined {
    return this.#haltedAt;
  }

  /** The same alarms without secrets and control characters: only these may be published or shown. */
  redacted({ board, found }: Observation): Observation {
    const secrets = this.#secrets;
    // The key, too: it may hold what somebody wrote, and is saved on the disk.
    const safe = found.map((one) => ({ ...one, key: redact(one.key, secrets), text: safeLine(one.text, secrets) }));
    return { board, found: safe };
  }

  /** Publishes what a redacted observation has new. False: another watcher publishes. */
  async publish({ board, found }: Observation): Promise<boolean> {
    if (!(await this.#holdsLock())) return false;
    if (board !== undefined) this.#openWebhook(board);
    // A board that was never readable says nothing about the alarms of before.
    const changes = alarmChanges(this.#on, board === undefined ? withEarlier(found, this.#on) : found);
    this.#on = changes.on;
    const unwritten = this.#log.unwritten.length;
    this.#writeLog(changes);
    const { raised, cleared } = changes;
    if (isChanged(changes)) this.#batch.add({ raised, cleared });
    const haltChanged = this.#noteHalt(board);
    if (isChanged(changes) || this.#log.unwritten.length !== unwritten || haltChanged) this.#save();
    if (board !== undefined) this.#attempt('ESCALATION', () => this.#writeEscalation(board));
    return true;
  }

  /** Sends what was gathered, gives it a moment to be delivered, and lets another watcher take over. */
  async close(patienceMs: number): Promise<void> {
    this.#batch.close();
    const patience = new AbortController();
    if (patienceMs > 0) {
      const delivered = Promise.all([this.#webhook?.settled(), this.#desktop?.settled()]);
      await Promise.race([delivered, this.#context.clock.sleep(patienceMs, patience.signal)]);
    }
    patience.abort();
    this.#desktop?.close();
    await this.#webhook?.close();
    this.#lock.release();
  }

  async #holdsLock(): Promise<boolean> {
    try {
      const lock = await this.#lock.hold();
      if (lock === 'acquired') this.#takeOver();
      return lock !== 'other';
    } catch (error) {
      this.#failed('cache/watch/lock', 'written', error);
      return false;
    }
  }

  /** Goes on where the last watcher that published has ended. */
  #takeOver(): void {
    const saved = loadState(this.#context.files, this.#folder);
    this.#on = saved.on;
    this.#haltedAt = saved.haltedAt ?? this.#haltedAt;
    this.#log.unwritten = saved.unwritten;
    this.#inherited = saved.pending;
    try {
      this.#alreadyLogged = new Set(this.#log.since(saved.logSize));
    } catch (error) {
      this.#failed('alerts.log', 'read', error); // at worst a line is in there twice
    }
    // From now on every line in the log beyond this size was published.
    if (saved.logSize === undefined) this.#save();
  }

  #openWebhook({ state }: Board): void {
    this.#webhookUrl = state.config.escalation_webhook ?? undefined;
    this.#webhook ??= new WebhookQueue(this.#context, {
      folder: this.#folder,
      url: () => this.#webhookUrl,
      timeoutMs: this.#options.webhookTimeoutMs,
      lost: (line) => {
        this.#attempt('alerts.log', () => this.#log.append([line]));
        this.#options.trouble?.(line);
      },
    });
    const inherited = this.#inherited;
    this.#inherited = undefined;
    if (inherited === undefined || inherited.id === this.#messageId || this.#webhook.has(inherited.id)) return;
    this.#batch.add(inherited.group);
  }

  #writeLog({ raised, cleared, replaced }: AlarmChanges): void {
    const ended = [...cleared, ...replaced];
    const lines = [...raised.map(({ text }) => text), ...ended.map(({ text }) => `cleared: ${text}`)];
    this.#log.unwritten = [...this.#log.unwritten, ...lines.filter((line) => !this.#alreadyLogged.has(line))];
    this.#alreadyLogged = new Set();
    if (this.#log.unwritten.length > 0) this.#attempt('alerts.log', () => this.#log.flush());
  }

  /** True: a halt began or ended. Only then it is saved; in between it would be a write at every look. */
  #noteHalt(board: Board | undefined): boolean {
    const wasHalted = this.#isHalted;
    if (board !== undefined) this.#isHalted = Object.keys(board.switches).length > 0;
    if (this.#isHalted || wasHalted) this.#haltedAt = this.#context.clock.now();
    return this.#isHalted !== wasHalted;
  }

  #send(group: AlarmGroup): void {
    const project = basename(this.#context.paths.root);
    const message = messageOf(project, group);
    if (group.raised.length > 0) this.#desktop?.show(message);
    const id = this.#messageId;
    const about = { project, time: this.#context.clock.now(), id };
    if (this.#webhookUrl !== undefined) this.#webhook?.add({ id, body: payload(message, group, about) });
    this.#messageId = this.#context.random.uuid();
    this.#save();
  }

  #save(): void {
    if (!this.#lock.isHeld) return;
    const pending = this.#inherited ?? { id: this.#messageId, group: this.#batch.gathered() };
    const { size: logSize, unwritten } = this.#log;
    const state = { on: this.#on, logSize, haltedAt: this.#haltedAt, unwritten, pending };
    this.#attempt('cache/watch', () => saveState(this.#context.files, this.#folder, state));
  }

  #writeEscalation(board: Board): void {
    const { files, paths } = this.#context;
    const file = join(paths.liza, 'ESCALATION');
    const text = escalation(board, [...this.#on.values()]);
    const there = files.stat(file) === undefined ? undefined : files.read(file)?.toString('utf8');
    if (text === undefined) {
      if (there !== undefined) files.remove(file);
      return;
    }
    const wanted = redact(text, this.#secrets).replace(CONTROL, '');
    if (wanted === there) return;
    const ready = join(this.#folder, 'ESCALATION');
    replaceFile(files, ready, Buffer.from(wanted), false);
    files.rename(ready, file);
  }

  #attempt(what: string, write: () => void): void {
    try {
      write();
      this.#failing.delete(what);
    } catch (error) {
      this.#failed(what, 'written', error);
    }
  }

  #failed(what: string, done: 'read' | 'written', error: unknown): void {
    const { message } = error as Error;
    const why = errorCode(error) ?? message;
    if (this.#failing.get(what) !== why) this.#options.trouble?.(`${what} could not be ${done}: ${message}`);
    this.#failing.set(what, why);
  }
}

const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;

/** An earlier alarm gives way to one of its family that is found now. */
function withEarlier(found: readonly Alarm[], on: AlarmsOn): readonly Alarm[] {
  const families = new Set(found.map(({ family }) => family));
  return [...found, ...[...on.values()].filter(({ family }) => family === undefined || !families.has(family))];
}
