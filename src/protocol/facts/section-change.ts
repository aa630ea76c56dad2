// What the machine saw of the section that a task was made from: how it reads now, by its hash and in numbers.

export interface SectionChange {
  readonly spec_hash: string;
  readonly added?: number;
  readonly removed?: number;
  /** The heading that the anchor names is gone. */
  readonly heading_gone?: true;
}
