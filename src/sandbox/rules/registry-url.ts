// Addresses of package registries: without the login that somebody wrote into them, and the place that they name.

/** `https://name:secret@host/` → `https://host/`, in every address of the text. Placeholders (`${NAME}`) stay. */
export const withoutLogins = (text: string): string =>
  text.replace(ADDRESS, (address) => withoutLogin(address)).replace(WORD, (word) => withoutBareLogin(word));

const WORD = /[^\s"']+/g;

/** Proxies are often written without a scheme: `name:secret@host:3128`. Not so `git@host:path`: nothing secret in it. */
const withoutBareLogin = (word: string): string =>
  word.includes('://') ? word : word.replace(/^([\w.-]+=)?[^@]*:.*@(?=[^@]*$)/, '$1');

/** A comma or bar ends one only before another address of the list, or before go's words for none. */
const ADDRESS = /[a-z][a-z+.-]*:\/\/(?:(?![,|](?:[a-z+]+:\/\/|direct\b|off\b))[^\s"'])+/gi;

export function withoutLogin(address: string): string {
  const at = address.indexOf('://') + 3;
  const [scheme, rest] = [address.slice(0, at), address.slice(at)];
  const authority = /^[^/?#]*/.exec(rest)?.[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  // A password with a slash: no address as it is, and what stands before the last @ is no part of one.
  if (!isHost(host)) return `${scheme}${rest.slice(rest.lastIndexOf('@') + 1)}`;
  // The name of an ssh address is no secret, and without it there is no way in.
  const name = /^(?:git\+)?ssh:/i.test(scheme) ? /^([^:@]*)[^@]*@/.exec(authority)?.[1] : undefined;
  return `${scheme}${name === undefined ? '' : `${name}@`}${host}${rest.slice(authority.length)}`;
}

const isHost = (text: string): boolean =>
  text.startsWith('[') || /^[^:]*(?::\d*)?$/.test(text.replace(/\$\{[^}]*\}/g, '1'));

export const hasLogin = (text: string): boolean => withoutLogins(text) !== text;

/** Host and port, as an address names them; undefined: it names none, or a placeholder. */
export function hostOf(address: string): { readonly host: string; readonly port: number } | undefined {
  try {
    const { hostname, port, protocol } = new URL(address.replace(/^(?:sparse|git)\+/, ''));
    if (hostname === '' || !/^(?:https?|ssh):$/.test(protocol)) return undefined;
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usualPort(protocol) : Number(port) };
  } catch {
    return undefined;
  }
}

const usualPort = (protocol: string): number => (protocol === 'http:' ? 80 : protocol === 'ssh:' ? 22 : 443);
