// A yes for most values, made from the schema itself and many times as fast: a large board has some hundred thousand of
// them. It says only what is certain: no, or a kind of schema that it does not know, is for the schema to judge.

import type * as v from 'valibot';

type Test = (value: unknown) => boolean;

/** What of valibot's schemas and actions it reads. */
interface Kind {
  readonly type: string;
  readonly requirement?: unknown;
  readonly pipe?: readonly Kind[];
  readonly wrapped?: Kind;
  readonly item?: Kind;
  readonly options?: readonly unknown[];
  readonly entries?: Readonly<Record<string, Kind>>;
}

const TESTS = new WeakMap<Kind, Test>();

export const isQuicklyValid = (schema: v.GenericSchema, value: unknown): boolean =>
  testOf(schema as unknown as Kind)(value);

function testOf(kind: Kind): Test {
  let test = TESTS.get(kind);
  if (test === undefined) {
    test = made(kind) ?? (() => false);
    TESTS.set(kind, test);
  }
  return test;
}

function made(kind: Kind): Test | undefined {
  const { type, requirement: limit, pipe, wrapped, item, options, entries } = kind;
  if (pipe !== undefined) {
    const tests = pipe.map(testOf);
    return (value) => tests.every((test) => test(value));
  }
  switch (type) {
    case 'string':
      return (value) => typeof value === 'string';
    case 'number':
      return (value) => typeof value === 'number' && !Number.isNaN(value);
    case 'integer':
      return Number.isInteger;
    case 'min_value':
      return (value) => (value as number) >= (limit as number);
    case 'max_value':
      return (value) => (value as number) <= (limit as number);
    case 'max_length':
      return (value) => (value as string).length <= (limit as number);
    case 'regex':
      return (value) => (limit as RegExp).test(value as string);
    case 'picklist':
      return (value) => options?.includes(value) === true;
    case 'optional': {
      const test = testOf(wrapped as Kind);
      return (value) => value === undefined || test(value);
    }
    case 'array': {
      const test = testOf(item as Kind);
      return (value) => Array.isArray(value) && value.every(test);
    }
    case 'object': {
      const tests = Object.entries(entries ?? {}).map(([key, entry]) => [key, testOf(entry)] as const);
      return (value) =>
        typeof value === 'object' && value !== null && tests.every(([key, test]) => test((value as never)[key]));
    }
    default:
      return undefined;
  }
}
