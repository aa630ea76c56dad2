// `liza setup`: contracts, templates and shims below ~/.liza; optionally completion for a shell, and pairing mode for a
// provider everywhere.

import { version } from '../../../package.json';
import { GLOBAL_FILES } from '../../project/home-manifest.ts';
import type { Installed, Uninstalled } from '../../project/setup.ts';
import {
  COMPLETIONS,
  type Completion,
  installCompletions,
  isInstalled,
  nextStep,
} from '../../project/setup-completion.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { pathLine } from '../../providers/install-line.ts';
import { counted } from '../../text/format.ts';
import type { Io } from '../io.ts';
import { plain } from '../render/terminal.ts';
import type { Args, Done, Verb } from '../verb.ts';

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
      description: 'Also make this provider follow the pairing contract in every project.',
    },
    completion: {
      value: 'shell',
      repeat: true,
      choices: Object.keys(COMPLETIONS),
      description:
        'Install completion for this shell, and nothing else unless --activate is given; without it a person at a terminal is asked.',
    },
    uninstall: { description: 'Remove what setup wrote, including activations and completion.' },
  },
  examples: [
    'liza setup',
    'liza setup --completion bash',
    'liza setup --activate claude --activate codex',
    'liza setup --uninstall',
  ],
  details: [
    'Not needed for liza run: agents get their contract with their prompt, and no global file is touched.',
    'Safe to repeat. Files you changed stay as they are; a newer version is put beside them as <file>.new.',
    `--activate adds a marked block to the file that the provider reads in every project (${FILES}) and keeps the original as <file>.bak-<n>.`,
    '--completion writes one file where your shell looks for completion (~/.liza/.setup.json remembers it), and keeps it up to date; it edits no .bashrc or .zshrc, and says which line you add there if one is needed.',
  ],
  run: async (args, io) => {
    const providers = [...new Set(args.all('activate'))];
    if (args.flag('uninstall') && (providers.length > 0 || args.all('completion').length > 0)) return contradiction();
    const { homeOf } = await import('../../project/setup-home.ts');
    const home = homeOf(io.env);
    if (typeof home !== 'string') return home;
    const { SCRIPTS } = await import('./completion.ts');
    const named = args.all('completion');
    if (named.length > 0 && providers.length === 0 && !args.flag('uninstall')) {
      const alone = installCompletions(home, SCRIPTS, named);
      return isRefusal(alone) ? alone : withPath(io, tellCompletions(alone));
    }
    const { install, uninstall } = await import('../../project/setup.ts');
    if (args.flag('uninstall')) {
      const gone = uninstall(home, io.asset(''));
      return isRefusal(gone) ? gone : tellGone(gone);
    }
    const done = install(home, io.asset(''), version, providers);
    if (isRefusal(done)) return done;
    const completions = installCompletions(home, SCRIPTS, await shellsFor(args, io, home));
    return isRefusal(completions) ? completions : withPath(io, tell(done, completions));
  },
};

/** The shells that were named; else the person's own, if the person at the terminal wants it. */
async function shellsFor(args: Args, io: Io, home: string): Promise<readonly string[]> {
  const named = args.all('completion');
  const shell = /[^/]*$/.exec(io.env['SHELL'] ?? '')?.[0] ?? '';
  if (named.length > 0 || args.json || !(shell in COMPLETIONS) || isInstalled(home, shell)) return named;
  const dialogue = await io.openDialogue?.();
  if (dialogue === undefined) return [];
  try {
    const question = `Install completion for ${shell} (~/${COMPLETIONS[shell]})? yes or no [no]: `;
    for (;;) {
      const answer = (await dialogue.ask(question))?.trim() ?? '';
      if (/^(no?)?$/i.test(answer)) return [];
      if (/^y(es)?$/i.test(answer)) return [shell];
    }
  } finally {
    dialogue.close();
  }
}

const contradiction = (): Refusal =>
  refuse('--uninstall removes what --activate and --completion add', 'use --uninstall alone', 1, 'usage');

function tell(done: Installed, completions: readonly Completion[]): Done {
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
          : `kept, you changed it: ${file}; the newer version is ${offered}`,
      ),
      ...activated.map(({ provider, file, backup, already }) =>
        already
          ? `${provider} was already active: ${file}`
          : `${provider} is active: ${file}${backup === undefined ? '' : `; as it was: ${backup}`}`,
      ),
      ...completions.flatMap(completionLines),
    ].map(plain),
    data: { ...done, completions },
  };
}

/** Last, so that it is seen. */
function withPath({ host, env }: Io, done: Done): Done {
  const line = pathLine({ disk: host.disk, env });
  if (line === undefined) return done;
  const said = ['liza is not on PATH. For this shell, and in ~/.profile for all others:', `  ${line}`];
  return { ...done, lines: [...(done.lines ?? []), ...said] };
}

const tellCompletions = (completions: readonly Completion[]): Done => ({
  ok: true,
  lines: completions.flatMap(completionLines).map(plain),
  data: { completions },
});

function completionLines(one: Completion): readonly string[] {
  const { shell, file, done } = one;
  const step = nextStep(one);
  switch (done) {
    case 'written':
    case 'unchanged':
      return [`completion for ${shell}: ${file}`, ...(step === undefined ? [] : [`  ${step}`])];
    case 'kept':
      return [`kept, Liza did not write it: ${file}`];
    case 'removed':
      return [`completion for ${shell} is removed: ${file}`];
    default:
      return done satisfies never;
  }
}

function tellGone(gone: Uninstalled): Done {
  const { folder, removed, kept, deactivated, completions } = gone;
  const nothing = removed.length + kept.length + deactivated.length + completions.length === 0;
  return {
    ok: true,
    message: nothing ? 'nothing of liza setup is left' : `${counted(removed.length, 'file')} removed from ${folder}`,
    lines: [
      ...deactivated.map(
        ({ provider, file, backup }) =>
          `${provider} is no longer active: ${file}${backup === undefined ? '' : `; as it was before: ${backup}`}`,
      ),
      ...completions.flatMap(completionLines),
      ...kept.map((file) => `kept, you changed it: ${file}`),
    ].map(plain),
    data: { ...gone },
  };
}
