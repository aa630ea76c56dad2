// Settings that promise a limit which only the sandbox enforces: without one they hold nobody, and a person must not
// believe that they do.

import type { Settings } from '../../protocol/state.ts';
import { listed } from '../../text/format.ts';

export type Limiting = Partial<Pick<Settings, 'sandbox_network' | 'setup_read'>>;

export interface IdleSetting {
  readonly message: string;
  readonly remedy: string;
}

/** For where there is no sandbox. Settings that only open something promise nothing, and are not told. */
export function idleSettings({ sandbox_network = {}, setup_read = [] }: Limiting): readonly IdleSetting[] {
  const offline = Object.entries(sandbox_network).flatMap(([part, network]) => (network === 'off' ? [part] : []));
  return [
    ...(offline.length === 0 ? [] : [idle('sandbox_network', `the network is open, also for ${listed(offline, 5)}`)]),
    ...(setup_read.length === 0 ? [] : [idle('setup_read', 'agents and tests can read these files, too')]),
  ];
}

const idle = (key: string, means: string): IdleSetting => ({
  message: `${key} has no effect without the sandbox: ${means}`,
  remedy: `get the sandbox: liza help sandbox; or unset it: liza config set ${key} null`,
});
