// A PostgreSQL server as one connection at a time. Hides the driver, its types and how it fails: whoever uses a connection
// learns whether the server refused a statement or whether the connection broke, in which case nobody knows what became of
// the statement. No error carries the address or the password.

export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  readonly tls: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
  /** Certificates in PEM, as text. */
  readonly rootCertificate?: string;
  readonly certificate?: string;
  readonly key?: string;
}

export type Row = Readonly<Record<string, unknown>>;

export interface Connection {
  /**
   * One or more statements in one message; the rows of the last one that gave any. `patience`: milliseconds after which
   * the connection is given up.
   */
  query(text: string, patience?: number): Promise<readonly Row[]>;
  /** A single statement with values. */
  run(text: string, values: readonly unknown[], patience?: number): Promise<readonly Row[]>;
  /** What another session announced on a channel that this one listens to. */
  onNotification(heard: (channel: string, payload: string) => void): void;
  /** Calls once, when it ends for whatever reason. */
  onEnd(ended: () => void): void;
  readonly isOpen: boolean;
  /** The process that the other side named as the one that serves it: the server's own, or a pooler's word. */
  readonly process: number | undefined;
  /** An idle connection does not keep the program running. */
  background(): void;
  close(): Promise<void>;
}

export interface Database {
  connect(address: DatabaseAddress, options: { readonly application: string }): Promise<Connection>;
}

/** `refused`: the server said no, and the statement did nothing. `lost`: nobody knows. `unreachable`: never connected. */
export type DatabaseFailure = 'refused' | 'lost' | 'unreachable';

const isNamed = (error: unknown): boolean => error instanceof Error && error.name === 'DatabaseError';

export class DatabaseError extends Error {
  // The program is bundled in parts, each with its own copy of this class.
  static override [Symbol.hasInstance] = isNamed;
  override name = 'DatabaseError';
  constructor(
    readonly failure: DatabaseFailure,
    message: string,
    /** PostgreSQL's five characters, or the system's name of a network error. */
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** A text as an SQL literal. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}
