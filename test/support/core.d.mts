import type { Environment } from '../../src/ports/host.ts';

/** null: the file goes. A function makes what is not a regular file. */
export type Contents = Readonly<Record<string, string | Buffer | null | ((file: string) => void)>>;
type Words = readonly string[];

export function cleanEnvironment(home: string): Environment;
export function write(folder: string, files: Contents): void;
export function gitIn(folder: string, args: Words, env: Environment, input?: Buffer): string;
export function startRepository(
  root: string,
  env: Environment,
  options?: { readonly files?: Contents; readonly branch?: string; readonly format?: string },
): void;
export function flags(values: Readonly<Record<string, string | number>>): Words;
export function addTask(id: string, more?: Readonly<Record<string, string | number>>): Words;
/** What shows that a task of `addTask` is done. */
export const SHOWN: string;
export function checkpoint(file: string, intent?: string): Words;
