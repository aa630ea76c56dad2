// `liza config get [key]`: what is in force, whether written down or a default.

import { isRefusal, refuse } from '../../protocol/decision.ts';
import { quoted } from '../../protocol/ids.ts';
import { isFields } from '../../protocol/values.ts';
import { nearest } from '../nearest.ts';
import { openProject } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'config get',
  positionals: [{ name: 'key', optional: true, description: 'One key; without it all of them.' }],
  options: {},
  examples: ['liza config get', 'liza config get lease_duration'],
  run: async (args, io) => {
    const context = await openProject(io);
    if (isRefusal(context)) return context;
    const { ConfigSchema } = await import('../../protocol/config.ts');
    const { settings } = await import('../../protocol/state.ts');
    const { board, notices } = await context.store.read();
    const values: Readonly<Record<string, unknown>> = { ...settings(board.state) };
    const known = [...new Set([...Object.keys(ConfigSchema.entries), ...Object.keys(values)])].sort();
    const key = args.text('key');
    const [name = '', ...path] = key?.split('.') ?? [];
    if (key !== undefined && name === 'budgets' && path.length > 0) {
      const value = path.reduce<unknown>(
        (at, part) => (isFields(at) && Object.hasOwn(at, part) ? at[part] : undefined),
        values[name],
      );
      return { ok: true, lines: [shown(value)], data: { key, value: value ?? null }, notices };
    }
    if (key !== undefined && !known.includes(key)) {
      const meant = nearest(key, known);
      const hint = meant === undefined ? 'liza config get lists all keys' : `did you mean ${meant}?`;
      return refuse(`there is no configuration key ${quoted(key)}`, hint, 1, 'config-key');
    }
    if (key !== undefined) {
      return { ok: true, lines: [shown(values[key])], data: { key, value: values[key] ?? null }, notices };
    }
    const written = new Set(Object.keys(board.state.config));
    const lines = known.map((name) => `${name}: ${shown(values[name])}${written.has(name) ? '' : '  (default)'}`);
    const config = Object.fromEntries(known.map((name) => [name, values[name] ?? null]));
    return { ok: true, lines, data: { config }, notices };
  },
};

const shown = (value: unknown): string =>
  value === undefined ? 'none' : plain(typeof value === 'string' ? value : JSON.stringify(value));
