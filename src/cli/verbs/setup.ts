// `liza setup`: contracts, templates and shims below ~/.liza; optionally pairing mode for a provider everywhere.

import { version } from '../../../package.json';
import { GLOBAL_FILES } from '../../project/home-manifest.ts';
import type { Installed, Uninstalled } from '../../project/setup.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { counted } from '../../text/format.ts';
import { plain } from '../render/terminal.ts';
import type { Done, Verb } from '../verb.ts';

const FILES = Object.values(GLOBAL_FILES)
  .map((file) => `~/${file}`)
  .join(', ');

export const verb: Verb = {
  operatorOnly: true,
  options: {
    activate: {
      value: 'provider',
      repeat: true,
      choices: Object.keys(GLOBAL_FILES),
      description: 'Also let this provider follow the pairing contract in every project.',
    },
    uninstall: { description: 'Take away what setup wrote, activations included.' },
  },
  examples: ['liza setup', 'liza setup --activate claude --activate codex', 'liza setup --uninstall'],
  details: [
    'Not needed for liza run: agents get their contract with their prompt, and no global file is touched.',
    'Safe to repeat. Files you changed stay as they are; a newer text is put beside them as <file>.new.',
    `--activate adds a marked block to the file that the provider reads in every project (${FILES}) and keeps the file as it was as <file>.bak-<n>.`,
  ],
  run: async (args, io) => {
    const providers = [...new Set(args.all('activate'))];
    if (args.flag('uninstall') && providers.length > 0) return contradiction();
    const { homeOf } = await import('../../project/setup-home.ts');
    const home = homeOf(io.env);
    if (typeof home !== 'string') return home;
    const { install, uninstall } = await import('../../project/setup.ts');
    if (args.flag('uninstall')) {
      const gone = uninstall(home, io.asset(''));
      return isRefusal(gone) ? gone : tellGone(gone);
    }
    const done = install(home, io.asset(''), version, providers);
    return isRefusal(done) ? done : tell(done);
  },
};

const contradiction = (): Refusal =>
  refuse('--uninstall takes activations away, --activate adds them', 'use one of them at a time', 1, 'usage');

function tell(done: Installed): Done {
  const { folder, former, written, kept, removed, activated } = done;
  const was = former === undefined || former === version ? '' : ` (was ${former})`;
  const changed = written.length + removed.length;
  return {
    ok: true,
    message: changed === 0 ? `${folder} is up to date: Liza ${version}` : `${folder} has Liza ${version}${was}`,
    lines: [
      ...(written.length === 0 ? [] : [`${counted(written.length, 'file')} written, ${done.unchanged} unchanged`]),
      ...removed.map((file) => `removed, no longer part of Liza: ${file}`),
      ...kept.map(({ file, offered }) =>
        offered === undefined
          ? `kept, you changed it: ${file}`
          : `kept, you changed it: ${file}; the newer text is ${offered}`,
      ),
      ...activated.map(({ provider, file, backup, already }) =>
        already
          ? `${provider} was active already: ${file}`
          : `${provider} is active: ${file}${backup === undefined ? '' : `; as it was: ${backup}`}`,
      ),
    ].map(plain),
    data: { ...done },
  };
}

function tellGone(gone: Uninstalled): Done {
  const { folder, removed, kept, deactivated } = gone;
  const nothing = removed.length + kept.length + deactivated.length === 0;
  return {
    ok: true,
    message: nothing ? 'nothing of liza setup is left' : `${counted(removed.length, 'file')} removed from ${folder}`,
    lines: [
      ...deactivated.map(
        ({ provider, file, backup }) =>
          `${provider} is no longer active: ${file}${backup === undefined ? '' : `; as it was before: ${backup}`}`,
      ),
      ...kept.map((file) => `kept, you changed it: ${file}`),
    ].map(plain),
    data: { ...gone },
  };
}
