export const SEEDS: readonly string[];
export const FEW: readonly string[];
export const HEADS: readonly string[];
export const TAILS: readonly string[];

export interface Texts {
  readonly heads?: readonly string[];
  readonly seeds?: readonly string[];
  readonly tails?: readonly string[];
  readonly most?: number;
}

export function slowTexts(read: (text: string) => unknown, texts?: Texts): string[];
