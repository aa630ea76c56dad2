// What the tests use of it.

export interface Range {
  readonly share: number;
  readonly from: number;
  readonly to: number;
}
export interface Pair {
  readonly on: number;
  readonly off: number;
}
export function rangeOf(shares: readonly number[]): Range;
export function judged(range: Pick<Range, 'from' | 'to'>, limit: number): 'kept' | 'missed' | 'open';
export function measured(
  run: (pair: number) => Pair | Promise<Pair>,
  pairs: number,
): Promise<Range & Pair & { readonly pairs: number }>;
