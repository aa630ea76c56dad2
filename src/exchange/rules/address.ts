// What may be an exchange: the name of a remote, or the address of a repository that git reaches by ssh, https or as a
// folder. What would run a program, ask for a password or carry one is no address; nothing without encryption leaves the
// machine. Pure.

export type Transport = 'ssh' | 'https' | 'http' | 'git' | 'file';

export type Said =
  | { readonly kind: 'address'; readonly address: Address }
  /** Its address is in the project's git configuration. */
  | { readonly kind: 'remote'; readonly name: string }
  | { readonly kind: 'fault'; readonly why: string; readonly mend: string };

export interface Address {
  /** As git takes it. */
  readonly url: string;
  readonly transport: Transport;
  /** As people are told: without who logs in. */
  readonly shown: string;
}

/** `home`: what `~` stands for. */
export function readExchange(said: string, home = '~'): Said {
  if (/\p{Cc}/u.test(said) || said.trim() !== said || said === '') return fault('is empty, or has spaces around it');
  if (REMOTE_NAME.test(said)) return { kind: 'remote', name: said };
  return readAddress(said, home);
}

/** The same, where it cannot be the name of a remote. */
export function readAddress(said: string, home = '~'): Exclude<Said, { kind: 'remote' }> {
  if (said.length > MOST) return fault('is too long');
  if (said.startsWith('-')) return fault('begins with -');
  if (/^[A-Za-z0-9]+::/.test(said)) return fault('would start a program');
  const folder = /^(?:file:\/\/)?((?:~?\/).*)$/.exec(said)?.[1];
  if (folder !== undefined) return asFolder(folder, home);
  const [, scheme, who, host, path] =
    /^([a-z+]+):\/\/(?:([^/]*)@)?(\[[^\]/]*\]|[^/:@]*)(?::\d+)?(\/.*)?$/.exec(said) ?? [];
  if (scheme !== undefined) return asUrl(said, { scheme, who, host, path });
  const [, user, machine = '', there = ''] = /^(?:([^/@:]+)@)?([^/@:]+):(?!\/\/)(.+)$/.exec(said) ?? [];
  if (machine === '') return fault('is neither an address nor the name of a remote');
  if (machine.startsWith('-') || user?.startsWith('-') === true || there.startsWith('-')) return fault('begins with -');
  return { kind: 'address', address: { url: said, transport: 'ssh', shown: `${machine}:${there}` } };
}

/** As git names remotes; no slash and no colon, so that it cannot be an address. */
const REMOTE_NAME = /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MOST = 2000;

function asFolder(folder: string, home: string): Exclude<Said, { kind: 'remote' }> {
  if (/^~?\/+$/.test(folder)) return fault('is not a repository');
  const url = folder.startsWith('~/') && home !== '~' ? `${home}${folder.slice(1)}` : folder;
  return { kind: 'address', address: { url, transport: 'file', shown: folder } };
}

interface Parts {
  readonly scheme: string;
  readonly who: string | undefined;
  readonly host: string | undefined;
  readonly path: string | undefined;
}

function asUrl(url: string, { scheme, who, host = '', path = '' }: Parts): Exclude<Said, { kind: 'remote' }> {
  const transport = TRANSPORTS[scheme];
  if (transport === undefined) return fault(`is reached by ${scheme}, which is not used`);
  if (host === '' || host.startsWith('-')) return fault('names no host');
  if (/^\/*$/.test(path)) return fault('names no repository');
  if (who?.startsWith('-') === true) return fault('begins with -');
  if (who?.includes(':') === true || (who !== undefined && transport !== 'ssh'))
    return fault(
      'carries a login, which agents and process lists would show',
      'give the login to git: git help credential',
    );
  if (/[?#]/.test(path)) return fault('has a query');
  const isNear = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
  if ((transport === 'http' || transport === 'git') && !isNear)
    return fault(`is reached by ${scheme} without encryption`);
  return { kind: 'address', address: { url, transport, shown: url.replace(/(:\/\/)[^/@]*@/, '$1') } };
}

const TRANSPORTS: Readonly<Record<string, Transport>> = {
  ssh: 'ssh',
  'git+ssh': 'ssh',
  https: 'https',
  http: 'http',
  git: 'git',
};

const fault = (
  why: string,
  mend = USUAL_MEND,
): { readonly kind: 'fault'; readonly why: string; readonly mend: string } => ({
  kind: 'fault',
  why,
  mend,
});
export const USUAL_MEND =
  'name a remote, or an address: user@host:path, ssh://…, https://…, or the full path of a bare repository';
