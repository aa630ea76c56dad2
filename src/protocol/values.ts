// Plain data, compared by content.

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a key at any depth is `__proto__`, which objects take for something else. */
export const namesProto = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([key, inner]) => key === '__proto__' || namesProto(inner));

/** Deep equality of plain data; a key that is undefined or null counts as absent. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b || (a ?? undefined) === (b ?? undefined)) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => same(item, b[index]));
  }
  if (!isFields(a) || !isFields(b)) return false;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => same(a[key], b[key]));
}

/** The path at which a list was given for a map: the schema would read an empty list as an empty map. */
export function listForMap(given: unknown, read: unknown): readonly string[] | undefined {
  if (Array.isArray(given)) return Array.isArray(read) ? undefined : [];
  if (!isFields(given) || !isFields(read)) return undefined;
  for (const [key, value] of Object.entries(given)) {
    const inner = listForMap(value, read[key]);
    if (inner !== undefined) return [key, ...inner];
  }
  return undefined;
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> } & {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
};

/** Leaves out what is undefined: an absent field and an undefined one are not the same to the rules. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    const value = (fields as Fields)[key];
    if (value !== undefined) kept[key] = value;
  }
  return kept as Defined<T>;
}

/** `'a b c'` → `'a' | 'b' | 'c'`, for lists of names. */
export type WordsOf<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | WordsOf<Rest> : Text;

export const words = <const Text extends string>(text: Text): readonly WordsOf<Text>[] =>
  text.split(' ') as WordsOf<Text>[];

export const blank = (text: string | undefined): boolean => text === undefined || text.trim() === '';
