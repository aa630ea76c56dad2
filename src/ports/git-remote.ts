// A git that talks to another repository. It uses the user's own logins, proxies and ssh settings, because without them
// nobody could be reached; never those of the project's repository, which an agent may have written. It asks nobody for
// a password, runs nothing that the other side names, and checks every object that comes in.

import type { Environment } from './host.ts';

export interface GitRemoteCall {
  /** As git's GIT_ALLOW_PROTOCOL has them; every other protocol is refused. */
  readonly protocols: readonly string[];
  /** Bytes that it may write into one file: a pack that is larger is not taken. Absent: it takes nothing. */
  readonly largest?: number;
}

/** In place of the settings that keep git from the network. They win over what the user's own settings say. */
export const REMOTE_SETTINGS: readonly string[] = [
  'core.askPass=',
  'transfer.fsckObjects=true',
  'fetch.fsckObjects=true',
  // What comes stays packed until it is checked: a few bytes of it can be gigabytes of files.
  'fetch.unpackLimit=1',
  'fetch.writeCommitGraph=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'push.followTags=false',
  'push.gpgSign=false',
  'push.negotiate=false',
  'push.pushOption=',
  // A connection that stalls is given up; the whole call has a limit besides.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=20',
];

/** Of the user's own variables for git: how ssh is started, where certificates and settings are. */
const KEPT =
  /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_SSL_\w+|HTTP_USER_AGENT|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM))$/;

/** What is put over the variables of every other call. It has no terminal (git-program.ts), so ssh cannot ask there. */
export function remoteEnvironment(env: Environment, { protocols }: GitRemoteCall): Environment {
  const own = Object.entries(env).filter(([name]) => KEPT.test(name));
  return {
    GIT_CONFIG_NOSYSTEM: undefined,
    GIT_CONFIG_GLOBAL: undefined,
    ...Object.fromEntries(own),
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
    // Of ssh and of graphical helpers.
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_ASKPASS: 'false',
  };
}
