// A broken promise of our own code, as opposed to a refusal (a value) or a failing environment (another error).
export class Bug extends Error {
  override readonly name = 'Bug';
}
