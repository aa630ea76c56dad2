// Secrets go, whatever they are wrapped in; what is no secret stays, to the letter.

import { describe, expect, it, test } from 'vitest';
import { isWithheld } from '../../../src/process/environment.ts';
import { lineRedactor, redactor } from '../../../src/process/redacting-stream.ts';
import { redact, secretsOf } from '../../../src/text/redact.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const KEY = `sk-ant-api03-${'Ab3_x-9Z'.repeat(11)}-AAAAAA`;
const PEM = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAA\n'.repeat(4)}-----END OPENSSH PRIVATE KEY-----`;

const SECRETS: readonly (readonly [string, string])[] = [
  ['Anthropic', KEY],
  ['OpenAI', `sk-proj-${'aB3dE5fG'.repeat(6)}`],
  ['OpenAI, older', `sk-${'aB3dE5fG'.repeat(6)}`],
  ['Gemini', `AIzaSy${'aB3dE5fG-'.repeat(3)}abcdef`],
  ['Google OAuth', `ya29.${'a0AfB_byC'.repeat(4)}`],
  ['GitHub', `ghp_${'a1B2c3D4'.repeat(4)}e5F6`],
  ['GitHub, fine-grained', `github_pat_11ABCDEFG0${'a1B2c3D4_'.repeat(6)}`],
  ['GitLab', 'glpat-aBcD3fGhIjKlMnOpQr5t'],
  ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
  ['Slack', 'xoxb-123456789012-abcdefGHIJKL'],
  ['Stripe', `sk_live_${'a1B2c3D4'.repeat(3)}`],
  ['npm', `npm_${'a1B2c3D4e5F6'.repeat(3)}`],
  [
    'a JWT',
    'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U',
  ],
  ['a private key', PEM],
];

describe('known shapes', () => {
  for (const [name, secret] of SECRETS) {
    test.each([
      ['alone', secret],
      ['in a sentence', `it is ${secret}, use it`],
      ['in JSON', JSON.stringify({ message: `the key is ${secret}` })],
      ['in JSON in JSON', JSON.stringify({ line: JSON.stringify({ text: secret }) })],
      ['in a shell', `curl -H "x-api-key: ${secret}" https://example.org`],
      ['assigned', `export SOME_NAME='${secret}'`],
      ['coloured', `found: \u001b[01;31m\u001b[K${secret}\u001b[m`],
      ['coloured in a part', `found: \u001b[1m${secret.slice(0, 4)}\u001b[0m${secret.slice(4)}`],
      ['coloured, in JSON', JSON.stringify({ text: `\u001b[32m${secret}\u001b[0m` })],
      ['coloured, as C writes it', `printf '\\x1b[32m${secret}\\033[0m'`],
      ['at the start of a line, in JSON', JSON.stringify({ text: `a\n${secret}\n` })],
      ['behind a tab, in JSON', JSON.stringify({ text: `a\t${secret}` })],
      ['in a URL', `https://example.org/?text=a%20${secret}`],
      ['parted by what is not seen', `${secret.slice(0, 6)}\u200b\u00ad${secret.slice(6)}`],
    ])(`${name}, %s`, (_how, text) => {
      const clean = redact(text);
      const core = secret.split('\n')[1] ?? secret;
      expect(clean).not.toContain(core);
      expect(clean).toContain('[redacted]');
      expect(redact(clean)).toBe(clean);
    });
  }

  test.each([
    ['postgres://app:s3cretPass@db.internal/prod', 'postgres://[redacted]db.internal/prod'],
    ['https://:t0ken@example.org', 'https://[redacted]example.org'],
    ['https_proxy=ann:pass9word@proxy.example:3128', 'https_proxy=[redacted]@proxy.example:3128'],
    ['export ALL_PROXY="ann:pass9word@proxy.example:3128"', 'export ALL_PROXY="[redacted]@proxy.example:3128"'],
    ['HTTP_PROXY=proxy.example:3128', 'HTTP_PROXY=proxy.example:3128'],
    ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic [redacted]'],
    ['curl -H "authorization: token abcdefghijklmnop"', 'curl -H "authorization: token [redacted]"'],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY1', 'aws_secret_access_key = [redacted]'],
    ['AccountKey=abc123DEF456ghi789==;Endpoint=x', 'AccountKey=[redacted];Endpoint=x'],
    ['{"client_secret":"a1b2c3d4e5"}', '{"client_secret":"[redacted]"}'],
    ['{\\"api_key\\":\\"a1b2c3d4e5\\"}', '{\\"api_key\\":\\"[redacted]\\"}'],
    ['STRIPE_SECRET=whatever-it-was npm start', 'STRIPE_SECRET=[redacted] npm start'],
    ['//npm.acme.example/:_authToken=abcdefghijkl', '//npm.acme.example/:_authToken=[redacted]'],
    ['//npm.acme.example/team/:_auth = "bWU6c2VjcmV0"', '//npm.acme.example/team/:_auth = "[redacted]"'],
    ['//npm.acme.example/:_password=c2VjcmV0', '//npm.acme.example/:_password=[redacted]'],
    [
      'registry=https://x/\n_authToken=abcdefghij0\n_auth=bWU6c2VjcmV0Cg==',
      'registry=https://x/\n_authToken=[redacted]\n_auth=[redacted]',
    ],
    ['npm_config__authToken=0abcdefghijk', 'npm_config__authToken=[redacted]'],
    ['{"line":"_password=c2VjcmV0MQ==\\n"}', '{"line":"_password=[redacted]\\n"}'],
    ['npmAuthToken: "abcdefghijkl"', 'npmAuthToken: "[redacted]"'],
    [
      'index-url = https://1234567890abcdefghij@pypi.acme.example/simple',
      'index-url = https://[redacted]pypi.acme.example/simple',
    ],
    [`token = "cio${'a1B2c3D4'.repeat(4)}"`, 'token = "[redacted]"'],
  ])('%s', (text, clean) => expect(redact(text)).toBe(clean));
});

describe('a private key, however a program prints it', () => {
  const BODY = 'MIIEpAIBAAKCAQEA7bq1x9Zk3vT5h2w8yQnLr4sXuJ6cVpE0iGdFmBoNaKtRyWlS';
  const lines = ['-----BEGIN RSA PRIVATE KEY-----', ...Array(6).fill(BODY), '-----END RSA PRIVATE KEY-----'];
  const WAYS: readonly (readonly [string, (line: string, n: number) => string])[] = [
    ['with numbers and an arrow', (line, n) => `     ${n}→${line}`],
    ['with numbers and a tab', (line, n) => `     ${n}\t${line}`],
    ['as a diff', (line) => `+${line}`],
    ['in colours', (line) => `\u001b[32m${line}\u001b[0m`],
    ['with ends marked', (line) => `${line}$`],
    ['behind a time', (line) => `12:00:01 coder-1 | ${line}`],
  ];
  test.each(WAYS)('%s, as text, as JSON, and without its end', (_how, as) => {
    const text = `before\n${lines.map(as).join('\n')}\nafter it`;
    const unended = text.replace('-----END RSA PRIVATE KEY-----', '');
    for (const printed of [text, unended, JSON.stringify({ text }), JSON.stringify({ text: unended })]) {
      const clean = redact(printed);
      expect(clean).not.toContain(BODY.slice(0, 20));
      expect(clean).toMatch(/before.*\[redacted\].*after it/s);
    }
    const line = lineRedactor([]);
    const told = text.split('\n').map((one) => line(one));
    expect(told.join('\n')).not.toContain(BODY.slice(0, 20));
    expect(told.at(-1)).toBe('after it');
  });
  test('one of PGP', () => {
    const text = `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${BODY}\n-----END PGP PRIVATE KEY BLOCK-----`;
    expect(redact(text)).toBe('[redacted]');
  });
  test('line by line, one that never ends hides no record of an agent, and not for ever', () => {
    const line = lineRedactor([]);
    line('-----BEGIN PRIVATE KEY-----');
    expect(line(BODY)).toBe('');
    const record = `{"type":"result","text":"${BODY}"}`;
    expect(line(record)).toBe(record);
    line('-----BEGIN PRIVATE KEY-----');
    expect(Array.from({ length: 400 }, () => line(BODY)).at(-1)).toBe(BODY);
  });
});

test.each([
  ['behind an underscore', `config_ghp_${'a1B2'.repeat(9)}`, 'config_[redacted]'],
  ['SendGrid', `SG.${'aB3dE5fG'.repeat(3)}.${'aB3dE5fG'.repeat(5)}`, '[redacted]'],
  ['PyPI', `pypi-AgEIcHlwaS5vcmc${'aB3d'.repeat(6)}`, '[redacted]'],
  ['age', `AGE-SECRET-KEY-1${'QPZR9YX8'.repeat(7)}`, '[redacted]'],
  [
    'JWT, behind what is none and in colour',
    `ab_-eyJ.c \u001b[31m${'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdEF12_-x'}\u001b[0m`,
    'ab_-eyJ.c \u001b[31m[redacted]\u001b[0m',
  ],
  ['an option', 'deploy --password s3cr3t!pw9 --force', 'deploy --password [redacted] --force'],
  ['between quotes', `password: "s3cr3t!pw#9"`, `password: "[redacted]"`],
])('a secret %s', (_what, text, clean) => expect(redact(text)).toBe(clean));

test.each([
  'this._password = input.value;',
  'self._auth = auth',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as .npmrc writes it
  '//npm.acme.example/:_authToken=${NPM_TOKEN}',
  'ssh://git@host.example/x.git',
  'cannot precioussocialconscienceprecious',
])('%s is no secret and stays', (text) => expect(redact(text)).toBe(text));

test('no text costs more than its length, whatever it is made of', () => {
  const pieces = [
    '-----BEGIN PRIVATE KEY-----',
    'sk-',
    'sk-a-',
    'eyJ',
    'eyJaaaaaaaa.',
    ...[
      'SG.',
      'tskey-aa',
      'glsa_',
      'xapp-1-',
      'xoxb-',
      'ya29.',
      'npm_',
      'ghp_',
      'sk-ant-',
      'pypi-AgE',
      'whsec_',
      'cio',
    ],
    '://a:',
    'token=',
    'Bearer ',
    'hf_a',
    '://1',
    '/:_auth=',
    '_auth=',
  ];
  for (const piece of [
    ...pieces,
    'password: "',
    '--token a',
    'SG.aaaaaaaaaaaaaaaa.',
    '-----BEGIN PRIVATE KEY-----\na',
  ]) {
    const spent = cpuTimer();
    redact(piece.repeat(1_000_000 / piece.length));
    expect(spent(), piece).toBeLessThan(2000);
  }
  // Beginnings of credentials, joined by what may be a part of them.
  for (const piece of pieces) {
    for (const joint of ['-', '_', '.', '1', '/', '=', 'aaaaaaaa-', 'aaaaaaaa.']) {
      const spent = cpuTimer();
      redact((piece + joint).repeat(100_000 / (piece + joint).length));
      expect(spent(), piece + joint).toBeLessThan(500);
    }
  }
  // Long beginnings that share what follows them, and lines of a key that end in nothing but backslashes.
  for (const piece of [
    `${'-eyJ'.repeat(247)}.${'-eyJ'.repeat(1997)}.!`,
    `-----BEGIN PRIVATE KEY-----${'\\'.repeat(15_900)}`,
  ]) {
    const spent = cpuTimer();
    redact(piece.repeat(1_000_000 / piece.length));
    expect(spent(), piece.slice(0, 40)).toBeLessThan(500);
  }
  expect(() => redact('-eyJ'.repeat(2_000_000))).not.toThrow();
  const spent = cpuTimer();
  const stream = redactor([]);
  for (let n = 0; n < 300_000; n += 1) stream.push('a');
  stream.end();
  expect(spent()).toBeLessThan(2000);
});

describe('no secret', () => {
  const HASH = '3f2a9c0d1e4b5a69788796a5b4c3d2e1f0a1b2c3';
  test.each([
    `merged as ${HASH}`,
    `sha256:${HASH}${HASH.slice(0, 24)}`,
    '/home/me/projects/shop/src/tokens/token-list.ts:12:3',
    'Add basic authentication and bearer authentication to the API',
    'function login(password: string, token: Token): Promise<Session>',
    'const token = getToken(user2);',
    'const apiKey = process.env.API_KEY_2;',
    'secret: config2.prod.secret',
    'TOKEN=$(cat token.txt) API_KEY=$KEY_1 SECRET=<your secret>',
    'DB_PASSWORD=postgres npm test',
    'postgres://postgres:postgres@localhost:5432/test',
    'http://localhost:3000/a@b and git@github.com:owner/repo.git',
    '"max_tokens": 8192, "input_tokens": 123456789012',
    'ALTER TABLE users ADD CONSTRAINT pk_users_organization_id PRIMARY KEY (id)',
    'sk-learn-pipeline-for-everything-in-here',
    'task-sk-1 risk-management desk-2-of-the-office',
    `integrity sha512-${'aB3+/xY9'.repeat(10)}AAAAAA==`,
    `data:image/png;base64,iVBORw0KGgo${'aB3dE5fG'.repeat(20)}`,
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----',
    'eyJust a word. And. Another',
    'npm_config_registry npm_lifecycle_event hf_hub_download_from_the_cache_folder',
    '123e4567-e89b-12d3-a456-426614174000',
    'run it with --token $TOKEN_1, --password <password1> or --password=$PASSWORD1',
    'Prior Feedback Status:\n- [blocker] src/auth.ts:12 — the token: it is never checked',
  ])('%s', (text) => expect(redact(text)).toBe(text));
});

describe('of the environment', () => {
  test('values are hidden as they are, in JSON, URLs, HTML and base64, each line of several', () => {
    const env = {
      DB_PASSWORD: 'p"ss w\\rd/9',
      DEPLOY_KEY: 'first line of it 1\nsecond line of it 2',
      SENTRY_DSN: 'https://abc@o1.ingest.example/2',
    };
    const secrets = secretsOf(env);
    for (const value of Object.values(env)) {
      const html = value.replaceAll('"', '&quot;');
      const json = JSON.stringify(value);
      for (const form of [value, json, JSON.stringify({ json }), encodeURIComponent(value), html, btoa(value)]) {
        expect(redact(`x ${form} y`, secrets), form).not.toContain(value.slice(1, 8));
        expect(redact(`x ${form} y`, secrets), form).toContain('[redacted]');
      }
    }
    expect(redact('log: second line of it 2', secrets)).toBe('log: [redacted]');
  });

  test.each([
    ['POSTGRES_PASSWORD', 'postgres'],
    ['SSH_AUTH_SOCK', '/tmp/ssh-XXXX/agent.1'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/home/me/key.json'],
    ['MAX_OUTPUT_TOKENS', '32000000'],
    ['API_KEY', 'short'],
    ['SECRET_MODE', 'disabled'],
    ['DB_PASSWORD', 'developer'],
    ['LIZA_AGENT_ID', 'coder-1-and-more'],
    ['GIT_AUTHOR_NAME', 'coder-1-and-more'],
    ['ANTHROPIC_MODEL', 'claude-sonnet-4-5'],
    ['TOKEN', '        '],
  ])('%s=%s hides nothing', (name, value) => expect(secretsOf({ [name]: value })).toEqual([]));

  test('every name that programs of the project do not see because of what it holds is known here', () => {
    for (const name of [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'OPENAI_API_KEY',
      'GEMINI_API_KEY',
      'GITHUB_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'MY_PAT',
      'BASIC_AUTH',
      'SLACK_WEBHOOK_URL',
      'LIZA_WEBHOOK_SECRET',
      'DB_PASS',
      'npm_config__authToken',
      'VAULT_PASSPHRASE',
    ]) {
      expect(isWithheld(name), name).toBe(true);
      expect(secretsOf({ [name]: 'a1b2c3d4e5' }), name).toContain('a1b2c3d4e5');
    }
  });
});

it('a text of 16 MB without secrets takes no time worth mentioning', () => {
  const line = `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text: 'Editing src/client.ts, 12 tests pass, token count 4711' }], usage: { input_tokens: 12 } } })}\n`;
  const text = line.repeat(Math.ceil(16e6 / line.length));
  const spent = cpuTimer();
  redact(text, ['a-secret-that-is-not-there', 'another-one-of-them']);
  expect(spent()).toBeLessThan(4000);
});

it('hostile texts take no time either', () => {
  const spent = cpuTimer();
  for (const piece of [
    'a',
    'token',
    '://',
    'eyJ.',
    'sk-',
    'sk-a1',
    '-----BEGIN PRIVATE KEY-----',
    'API_KEY=',
    'bearer ',
    'authorization: ',
    'password: a',
    'x:y@',
    'https://a:',
    '-',
    '_KEY',
    'a1',
  ]) {
    redact(piece.repeat(Math.ceil(100_000 / piece.length)));
  }
  expect(spent()).toBeLessThan(3000);
});

test.each([
  ['HTTPS_PROXY', 'http://ann:pass9word%2F@proxy.example:3128'],
  ['http_proxy', 'ann:pass9word%2F@proxy.example:3128'],
  ['DATABASE_URL', 'postgres://app:pass9word%2F@db.internal/prod'],
])('the password in the address of %s is hidden where it stands alone', (name, value) => {
  const secrets = secretsOf({ [name]: value });
  expect(redact('they log in with pass9word%2F', secrets)).toBe('they log in with [redacted]');
});

test.each([
  ['GIT_AUTHOR', 'Ann: <ann@example.org>'],
  ['REMOTE', 'git@host.example:ann/project.git'],
  ['NO_PROXY', 'localhost:3128'],
  ['DATABASE_URL', 'postgres://postgres:postgres@localhost/dev'],
])('%s=%s holds no password', (name, value) => expect(secretsOf({ [name]: value })).toEqual([]));

test.each(['', 'u:', 'us:', 'user:'])('a value within a longer text in base64 is hidden: behind %j', (before) => {
  const secret = 'q9Zt-4mW!x7Lp2';
  const secrets = secretsOf({ DEPLOY_TOKEN: secret });
  for (const behind of ['', '@', '@h', '@ho', '\n'])
    for (const text of [btoa(before + secret + behind), btoa(before + secret + behind).replace(/=+$/, '')]) {
      expect(redact(`Basic-ish ${text}`, secrets)).toContain('[redacted]');
      expect(redact(`x ${text}`, secrets)).not.toContain(btoa(secret).slice(4, 14));
    }
});
