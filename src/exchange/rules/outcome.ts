// How a call to the exchange ended, as a value: a network that fails is nothing exceptional. Read from what git says, in
// its C locale; whatever is not known to be a refusal counts as unreachable, because that is tried again. Pure.

export type Failed =
  /** Nothing is known of what it did there: to be asked again. */
  | { readonly how: 'unreachable'; readonly why: string }
  /** It answered, and does not want to, or has something wrong: a person has to look. */
  | { readonly how: 'refused'; readonly why: string; readonly mend: string };

export type Outcome =
  | { readonly how: 'done' }
  /** A ref is not what the caller saw. Nothing has changed. */
  | { readonly how: 'stale'; readonly ref: string; readonly found?: string | undefined }
  /** Another host took the right to land it, or has landed it. Nothing has changed. */
  | { readonly how: 'fenced'; readonly ref: string; readonly found?: string | undefined }
  | Failed;

export interface Said {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Of a call that did not succeed. */
export function readFailure({ stdout, stderr }: Said): Failed {
  const why = told(stderr === '' ? stdout : stderr);
  const known = REFUSALS.find(([pattern]) => pattern.test(stderr));
  return known === undefined ? { how: 'unreachable', why } : { how: 'refused', why, mend: known[1] };
}

const LOGIN = 'see that git can log in there by itself: git ls-remote <address>';
const REFUSALS: readonly (readonly [RegExp, string])[] = [
  [
    /Permission denied|Authentication failed|could not read (Username|Password)|unable to read askpass|HTTP Basic: Access denied|error: 40[13]\b/i,
    LOGIN,
  ],
  [/Host key verification failed/i, 'look at the host’s key and accept it once: ssh <host>'],
  [
    /does not appear to be a git repository|[Rr]epository .*not found|not found: did you run git update-server-info|access denied or repository not exported/,
    'see the address: liza config get exchange; a new one is made there by: git init --bare <path>',
  ],
  [/dubious ownership/, 'the repository there belongs to another user: give it the one who logs in'],
  [/SSL certificate problem|certificate verif/i, 'let git trust its certificate: git help config, http.sslCAInfo'],
  [/transport '[^']*' not allowed/, 'set another address: liza config set exchange <address>'],
  [/object [0-9a-f]+: \w+:|fsck error|bad object|missing necessary objects/, 'look at it: git fsck, there'],
];

export interface Rejected {
  readonly ref: string;
  readonly why: string;
}

/** The refs that a push of `--porcelain` did not take; empty: it never came to that. */
export const rejectedIn = (stdout: string): readonly Rejected[] =>
  stdout.split('\n').flatMap((line) => {
    const [, ref, why] = /^!\t[^\t:]*:([^\t]+)\t(.*)$/.exec(line) ?? [];
    return ref === undefined || why === undefined ? [] : [{ ref, why }];
  });

/** The server's rules do not allow it, whatever the refs are: not a race. */
export function ruledOut(rejected: readonly Rejected[], prefixed: boolean): Failed | undefined {
  const by = rejected.find(({ why }) => /hook declined|hidden ref|protected|not allowed|denied|prohibited/i.test(why));
  if (by === undefined) return undefined;
  const isOwn = by.ref.startsWith('refs/liza/');
  const mend =
    isOwn && !prefixed
      ? 'let it accept refs below refs/liza, or keep them as branches, for all hosts alike: liza config set exchange_prefix liza'
      : `allow whoever logs in to push ${by.ref}`;
  return { how: 'refused', why: `it does not accept ${by.ref}: ${by.why}`, mend };
}

/** Lines that say what went wrong, on one line, without what a login could be in. */
export function told(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^(fatal|error|remote|ssh): */, '').trim())
    .filter((line) => line !== '' && !/^(To |Please make sure|and the repository exists|hint:)/.test(line));
  const said = lines
    .slice(0, 2)
    .join(' / ')
    .replace(/(:\/\/)[^\s/@]*@/g, '$1');
  return said === '' ? 'git said nothing' : said.slice(0, 300).replace(/\.$/, '');
}
