// Whether the sandbox is on, for the commands that tell a person. Loads the sandbox only where it is asked about.

import type { Refusal } from '../protocol/decision.ts';
import type { Settings } from '../protocol/state.ts';
import type { SandboxMode } from '../sandbox/mode.ts';
import { type IdleSetting, idleSettings, type Limiting } from '../sandbox/rules/idle-settings.ts';
import type { Io } from './io.ts';

/** In place of all that helps, which `liza doctor` and the topic tell. */
export const HOW_SANDBOXED = 'how to turn it on: liza help sandbox';

/** A line on it, and what helps where it is off; whoever turned it off is told where to read what that means. */
export interface SandboxTold {
  readonly mode: SandboxMode | Refusal;
  readonly text: string;
  /** For whoever was told all of it before. */
  readonly brief: string;
  readonly remedy: string | undefined;
  /** Limits that are set and hold nobody: it is off. */
  readonly idle: readonly IdleSetting[];
}

/** Undefined: this process confines nothing anyway. */
export async function tellSandbox(
  io: Io,
  wanted: Pick<Settings, 'sandbox'> & { readonly isolation?: Settings['isolation'] } & Limiting,
): Promise<SandboxTold | undefined> {
  if (io.confines !== true) return undefined;
  const { sandboxSupportOf, sandboxBriefText, sandboxMode, sandboxModeText, sandboxRemedy } = await import(
    '../sandbox/mode.ts'
  );
  const mode = await sandboxMode(sandboxSupportOf(io.host, io.self.argv), wanted);
  if (!('ok' in mode))
    return {
      mode,
      text: sandboxModeText(mode),
      brief: sandboxBriefText(mode),
      remedy: sandboxRemedy(mode, wanted) ?? ('tool' in mode ? undefined : 'more about it: liza help sandbox'),
      idle: 'tool' in mode ? [] : idleSettings(wanted),
    };
  const text = `sandbox: ${mode.message}`;
  return { mode, text, brief: `${text}; ${mode.hint}`, remedy: mode.hint, idle: [] };
}
