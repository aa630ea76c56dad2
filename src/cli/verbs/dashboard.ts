// `liza dashboard`: the board in a browser, for as long as this command runs. Prints links; each lets one browser in.

import { realDisk } from '../../ports/disk.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { openTaskContext } from '../open-project.ts';
import { printErr } from '../render/print.ts';
import type { Args, Verb } from '../verb.ts';
import type { Binding } from '../web/server.ts';

export const verb: Verb = {
  operatorOnly: true,
  options: {
    port: { value: 'n', description: 'Listen on that port; default: one that is free.' },
    viewer: { description: 'Also print a link for somebody who only looks.' },
    listen: {
      value: 'address',
      description: 'Another address than this machine’s own, such as 0.0.0.0; needs --cert.',
    },
    cert: {
      value: 'file',
      kind: 'file',
      description: 'The certificate, with which browsers of other machines get in.',
    },
    key: { value: 'file', kind: 'file', description: 'The key of the certificate.' },
    tunnel: {
      value: 'origin',
      description: 'Browsers come through a tunnel that encrypts, under this origin (scheme, name and port).',
    },
  },
  examples: [
    'liza dashboard',
    'liza dashboard --port 4711 --viewer',
    'liza dashboard --tunnel http://127.0.0.1:5000',
    'liza dashboard --listen 0.0.0.0 --cert cert.pem --key key.pem',
  ],
  details: [
    'Shows what needs you, every task with its diffs and verdicts, the merge queue, who stands behind each commit, and what it cost. Its buttons are commands: one is there exactly where liza would take the command from you.',
    'Each link is good once, for one browser, for an hour. Enter prints another one, v and Enter one for a viewer; Ctrl-C ends the dashboard.',
    'It answers this machine alone. From another one: ssh -L 5000:127.0.0.1:<port>, and --tunnel http://127.0.0.1:5000. What it refused: .liza/dashboard.log. Why it is safe: docs/dashboard.md',
  ],
  run: async (args, io) => {
    const binding = bindingOf(args);
    if (isRefusal(binding)) return binding;
    const context = await openTaskContext(io);
    if (isRefusal(context)) return context;
    const { openDashboard } = await import('../web/open-dashboard.ts');
    const { hasKeys, printLinks, untilInterrupted } = await import('../web/links.ts');
    const dashboard = await openDashboard(io, context, { binding });
    if (isRefusal(dashboard)) return dashboard;
    if (args.json) {
      const data = { origin: dashboard.origin, port: dashboard.port, link: dashboard.link('operator') };
      io.stdout(`${JSON.stringify(args.flag('viewer') ? { ...data, viewer: dashboard.link('viewer') } : data)}\n`);
    } else {
      printLinks(io, dashboard, { viewer: args.flag('viewer'), keys: hasKeys(io) });
      printErr(io, 'Ctrl-C ends the dashboard.\n');
    }
    await untilInterrupted(io, dashboard);
    await dashboard.close();
    return { ok: true, silent: true };
  },
};

function bindingOf(args: Args): Binding | Refusal {
  const port = args.text('port');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
    return bad(`--port ${port} is no port`, 'a port is a number up to 65535: liza dashboard --port 4711');
  const address = args.text('listen') ?? '127.0.0.1';
  const tunnel = args.text('tunnel');
  const origin = tunnel === undefined ? undefined : originIn(tunnel);
  if (tunnel !== undefined && origin === undefined)
    return bad(`--tunnel ${tunnel} is no origin`, 'give scheme, name and port: --tunnel https://liza.example.org');
  const [cert, key] = [args.text('cert'), args.text('key')];
  if ((cert === undefined) !== (key === undefined))
    return bad('a certificate has two files', 'give both: --cert cert.pem --key key.pem');
  const isOwn = address === '127.0.0.1' || address === '::1';
  if (!isOwn && cert === undefined)
    return bad(
      `--listen ${address} without a certificate: whoever is on the way could read and act`,
      'give one: --cert cert.pem --key key.pem; or leave --listen out and use a tunnel: liza help dashboard',
    );
  const files = cert === undefined || key === undefined ? undefined : readBoth(cert, key);
  if (files !== undefined && isRefusal(files)) return files;
  return { address, port: Number(port ?? 0), certificate: files, tunnel: origin };
}

const bad = (message: string, hint: string): Refusal => refuse(message, hint, 1, 'usage');

function originIn(text: string): string | undefined {
  try {
    const { origin, protocol } = new URL(text);
    return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
  } catch {
    return undefined;
  }
}

function readBoth(cert: string, key: string): { readonly cert: string; readonly key: string } | Refusal {
  try {
    return { cert: realDisk.readFileSync(cert, 'utf8'), key: realDisk.readFileSync(key, 'utf8') };
  } catch (error) {
    return bad(
      `the certificate cannot be read: ${(error as Error).message}`,
      'give two files: --cert cert.pem --key key.pem',
    );
  }
}
