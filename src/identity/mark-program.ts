// Marks an environment for whatever Liza runs of the project's making (tests, set-up): agents wrote much of it, so it may
// act as nobody (identity/rules/resolve.ts).

import type { Environment } from '../ports/host.ts';
import { nested } from '../process/start.ts';
import { agentTag, PROGRAM, type Site, TAG } from '../process/tags.ts';

export const markedProgram = (env: Environment, site: Site): Environment => ({
  ...env,
  [TAG]: nested(env, agentTag(site, PROGRAM)),
});
