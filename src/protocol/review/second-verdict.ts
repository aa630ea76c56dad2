// What a verdict says besides its word, where it contradicts the one before.

export interface SecondVerdict {
  readonly task: string;
  readonly reason?: string;
  readonly commit?: string;
}
