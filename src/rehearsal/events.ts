// What a rehearsal tells its supervisor, one JSON object a line. providers/rehearsal.ts reads it;
// a test plays one into the other, since adapters do not know each other.

export type Told =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'activity'; readonly text: string }
  /** Of the session so far. The numbers come from the script: no model was asked. */
  | { readonly kind: 'usage'; readonly input: number; readonly output: number; readonly model: string }
  | { readonly kind: 'context'; readonly percent: number }
  | { readonly kind: 'failure'; readonly failure: string; readonly text: string; readonly seconds?: number }
  | { readonly kind: 'result'; readonly ok: boolean; readonly text: string };

export const MODEL = 'rehearsal (scripted numbers)';

export const line = (told: Told): string => `${JSON.stringify(told)}\n`;
