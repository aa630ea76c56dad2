import type { Client } from 'pg';

export interface Server {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly native: string;
  readonly data: string;
  readonly place: string;
  readonly pid: number;
  readonly settings: readonly string[];
}
export function startPostgres(folder?: string, settings?: readonly string[]): Promise<Server>;
export function serve(server: Server, settings: readonly string[]): Promise<number>;
export function stopPostgres(folder?: string): void;
export function stopPostgresWhenKilled(folders: readonly string[]): void;
export function emptyDatabase(
  server: Server,
  of?: string,
): Promise<{ readonly name: string; readonly url: string; drop(): Promise<unknown> }>;
export function addressOf(server: Pick<Server, 'host' | 'port' | 'user' | 'password'>, database: string): string;
export function asOwner<T>(server: Server, database: string, work: (client: Client) => Promise<T>): Promise<T>;
