// What the live board reaches beyond the crew: commands as a person types them, the logs of sessions, and diffs.

/** The log of one session. */
export interface SessionLog {
  readonly path: string;
  readonly agent: string;
  readonly task?: string | undefined;
  /** When it began, as its name says: `20260131T140211-120Z`. */
  readonly began: string;
  readonly bytes: number;
}

export interface DiffText {
  readonly title: string;
  readonly lines: readonly string[];
}

export interface BoardAccess {
  /** Runs `liza <argv>` as the person at the board; what it said, in one line. */
  run(argv: readonly string[]): Promise<{ readonly ok: boolean; readonly said: string }>;
  /** The newest first. */
  logs(): Promise<readonly SessionLog[]>;
  diff(task: string): Promise<DiffText>;
}
