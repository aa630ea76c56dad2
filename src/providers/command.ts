// Any other agent program, described by the project: an argv with placeholders. Without one for the prompt the
// prompt goes to stdin. Its lines are shown as they are; tokens and failures are unknown, and blackboard and
// git alone tell how it went.

import { join } from 'node:path';
import { complaint } from './failures.ts';
import { ANY_SESSIONS } from './home-files.ts';
import { activity } from './json-lines.ts';
import type { Launch, Parser, Provider, SessionRequest } from './provider.ts';
import type { ProviderSettings } from './settings.ts';

/** Tokens; the project can say another number. */
const WINDOW = 200_000;

/** What the system takes in one argument, with room to spare. */
const ARGUMENT_LIMIT = 100_000;

export const command = (settings: ProviderSettings): Provider => ({
  name: settings.name,
  title: settings.name,
  program: settings.program ?? settings.argv?.[0] ?? settings.name,
  trial: false,
  tellsUse: false,
  contextWindow: settings.contextWindow ?? WINDOW,
  resumes: settings.resumes,
  hints: {
    install: `config.providers.${settings.name}.argv names the program`,
    login: 'see the program’s own documentation',
  },
  home: ANY_SESSIONS,
  launch: (request) => launch(settings, request),
  parser: textParser,
});

function launch(settings: ProviderSettings, request: SessionRequest): Launch {
  const [program, ...template] = settings.argv ?? [settings.name];
  const contractFile = join(request.scratch, 'contract.md');
  const promptFile = join(request.scratch, 'prompt.md');
  const session = request.resume ?? request.sessionId;
  const whole = `${request.contract.trimEnd()}\n\n${request.prompt}`;
  const hasContract = template.some((part) => part.includes('{contract_file}'));
  const prompt = hasContract ? request.prompt : whole;
  const values: Readonly<Record<string, string>> = {
    prompt: prompt.length > ARGUMENT_LIMIT ? `Read and follow ${promptFile}` : prompt,
    prompt_file: promptFile,
    contract_file: contractFile,
    model: request.model ?? settings.model ?? '',
    session,
    role: request.role,
    agent: request.agent,
  };
  const fill = (part: string) =>
    part.replace(/\{(\w+)\}/g, (found, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? '') : found));
  const hasPrompt = template.some((part) => /\{prompt(_file)?\}/.test(part));
  const hasSession = template.some((part) => part.includes('{session}'));
  return {
    argv: [settings.program ?? program, ...template.map(fill), ...settings.args],
    ...(hasPrompt ? {} : { stdin: prompt }),
    files: [
      { path: contractFile, text: request.contract },
      { path: promptFile, text: prompt },
    ],
    ...(hasSession ? { session } : {}),
    env: { ...settings.env },
  };
}

export const textParser = (): Parser => ({
  stdout: (line) => activity(line),
  stderr: (line, now) => {
    const said = complaint(line, now);
    return said.length > 0 ? said : activity(line);
  },
});
