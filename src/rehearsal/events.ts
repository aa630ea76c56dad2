// What a rehearsal prints for its supervisor, one JSON object a line. providers/rehearsal.ts reads it; a test checks
// that the two agree, since neither imports the other.

export type RehearsalEvent =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'activity'; readonly text: string }
  /** The session's total so far. The numbers come from the script: no model was asked. */
  | { readonly kind: 'usage'; readonly input: number; readonly output: number; readonly model: string }
  | { readonly kind: 'context'; readonly percent: number }
  | { readonly kind: 'failure'; readonly failure: string; readonly text: string; readonly seconds?: number }
  | { readonly kind: 'result'; readonly ok: boolean; readonly text: string };

export const MODEL = 'rehearsal (scripted numbers)';

export const eventLine = (event: RehearsalEvent): string => `${JSON.stringify(event)}\n`;
