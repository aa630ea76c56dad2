// From a file's text to a Script, or one sentence: which file, which place in it, what is wrong, what is
// allowed there. A script is checked as a whole before its first step is played.

import { type Refusal, refuse } from '../protocol/decision.ts';
import { named, SCRIPT_ROLES, type Script, SITUATIONS } from './script.ts';
import { type Kind, STEPS, type StepShape, verbOf } from './steps.ts';

type Fields = Readonly<Record<string, unknown>>;

export function readScript(text: string, file: string): Script | Refusal {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const [said = ''] = (error as Error).message.split(/,? ?(?:\.{3})?"|\n/);
    return wrong(file, lineOf(text), `is not JSON: ${said}`, HINT);
  }
  try {
    return checkScript(json);
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    return wrong(file, error.place, error.message, error.allowed);
  }
}

const HINT = 'A script is {"scenes": [{"role": …, "when": …, "steps": […]}]}; see docs/rehearsal.md';

const wrong = (file: string, place: string, fact: string, hint: string): Refusal =>
  refuse(`${file}${place === '' ? '' : `, ${place}`}: ${fact}`, hint, 1, 'script');

/** Ends the checking; never leaves this file. */
class Mistake extends Error {
  constructor(
    readonly place: string,
    fact: string,
    readonly allowed: string,
  ) {
    super(fact);
  }
}

function checkScript(json: unknown): Script {
  const script = fieldsOf(json, 'the script', HINT);
  onlyKeys(script, ['title', 'scenes'], 'the script');
  if (!Array.isArray(script.scenes) || script.scenes.length === 0) {
    throw new Mistake('the script', 'has no list "scenes"', HINT);
  }
  script.scenes.forEach(checkScene);
  return script as unknown as Script;
}

function checkScene(value: unknown, at: number): void {
  const bare = `scene ${at + 1}`;
  const scene = fieldsOf(value, bare, HINT);
  const place = `${bare} (${named(scene)})`;
  onlyKeys(scene, ['role', 'task', 'when', 'nth', 'steps'], place);
  const role = SCRIPT_ROLES.find((known) => known === scene.role);
  if (role === undefined) {
    throw new Mistake(place, `role is ${shown(scene.role)}`, `role is one of ${SCRIPT_ROLES.join(', ')}`);
  }
  if (scene.when !== undefined && !SITUATIONS[role].includes(String(scene.when))) {
    const allowed = `for a ${role}, "when" is one of ${SITUATIONS[role].join(', ')}`;
    throw new Mistake(place, `when is ${shown(scene.when)}`, allowed);
  }
  if (scene.task !== undefined) check(scene.task, 'text', `${place}, task`);
  if (scene.nth !== undefined) check(scene.nth, 'number', `${place}, nth`);
  if (!Array.isArray(scene.steps) || scene.steps.length === 0) {
    throw new Mistake(
      place,
      'has no list "steps"',
      'a scene has at least one step, such as {"say": "Reading the spec"}',
    );
  }
  scene.steps.forEach((step, nth) => {
    checkStep(step, `${place}, step ${nth + 1}`);
  });
}

function checkStep(value: unknown, place: string): void {
  const step = fieldsOf(value, place, ALL_STEPS);
  const verb = verbOf(step);
  const shape: StepShape | undefined = verb === undefined ? undefined : STEPS[verb];
  if (verb === undefined || shape === undefined) {
    throw new Mistake(place, `has no known action: ${shown(Object.keys(step).join(', '))}`, ALL_STEPS);
  }
  onlyKeys(step, [verb, ...Object.keys(shape.also ?? {})], `${place} (${verb})`);
  check(step[verb], shape.value, `${place}, ${verb}`);
  for (const [key, kind] of Object.entries(shape.also ?? {})) check(step[key], kind, `${place}, ${key}`);
}

const ALL_STEPS = `a step is one of ${Object.keys(STEPS).join(', ')}`;

function check(value: unknown, kind: Kind, place: string): void {
  if (typeof kind === 'string') {
    if (value === undefined && kind.endsWith('?')) return;
    const { is, allowed } = SIMPLE[kind.replace('?', '') as keyof typeof SIMPLE];
    if (!is(value)) throw new Mistake(place, `is ${shown(value)}`, allowed);
    return;
  }
  if ('oneOf' in kind) {
    if (value === undefined && kind.optional) return;
    if (!kind.oneOf.includes(value as string)) {
      throw new Mistake(place, `is ${shown(value)}`, `it is one of ${kind.oneOf.join(', ')}`);
    }
    return;
  }
  if (kind.list && (!Array.isArray(value) || value.length === 0)) {
    throw new Mistake(place, `is ${shown(value)}`, 'it is a list with at least one entry');
  }
  for (const one of kind.list ? (value as unknown[]) : [value]) {
    const names = Object.keys(kind.fields);
    const group = fieldsOf(one, place, `it has the fields ${names.join(', ')}`);
    onlyKeys(group, names, place);
    for (const [name, field] of Object.entries(kind.fields)) check(group[name], field, `${place}.${name}`);
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
const SIMPLE = {
  text: { is: (value: unknown) => isText(value) || areTexts(value), allowed: 'it is a text, or a list of its lines' },
  texts: { is: areTexts, allowed: 'it is a list of texts' },
  words: { is: areTexts, allowed: 'it is a list of words: the program and its arguments' },
  number: {
    is: (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    allowed: 'it is a number, 0 or more',
  },
  true: { is: (value: unknown) => value === true, allowed: 'it is true' },
} as const;

function fieldsOf(value: unknown, place: string, allowed: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new Mistake(place, `is ${shown(value)}, not {…}`, allowed);
}

function onlyKeys(fields: Fields, allowed: readonly string[], place: string): void {
  const unknown = Object.keys(fields).find((key) => !allowed.includes(key));
  if (unknown === undefined) return;
  throw new Mistake(place, `has an unknown field "${unknown}"`, `it may have ${allowed.join(', ')}`);
}

const shown = (value: unknown): string =>
  value === undefined ? 'missing' : (JSON.stringify(value) ?? String(value)).slice(0, 60);

/** The first line up to which the text cannot be the start of any JSON: JSON.parse does not always name the place. */
function lineOf(text: string): string {
  const lines = text.split('\n');
  const broken = lines.findIndex((_, at) => isBroken(lines.slice(0, at + 1).join('\n')));
  return broken === -1 ? `line ${lines.length}` : `line ${broken + 1}`;
}

function isBroken(start: string): boolean {
  try {
    JSON.parse(start);
    return false;
  } catch (error) {
    const { message } = error as Error;
    const position = /position (\d+)/.exec(message)?.[1];
    return !message.includes('Unexpected end') && (position === undefined || Number(position) < start.length);
  }
}
