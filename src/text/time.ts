// Times as the rules see them: milliseconds given by the caller, ISO seconds on the board. Nothing here reads a clock.

/** Milliseconds since the epoch. */
export type Instant = number;

export const iso = (at: Instant): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

export const instant = (timestamp: string): Instant => Date.parse(timestamp);

export const later = (at: Instant, seconds: number): string => iso(at + seconds * 1000);

/** `90` → `1m 30s`; for people, so two units at most. */
export function duration(milliseconds: number): string {
  const total = Math.max(0, Math.floor(milliseconds / 1000));
  const parts: [number, string][] = [
    [Math.floor(total / 86_400), 'd'],
    [Math.floor((total % 86_400) / 3600), 'h'],
    [Math.floor((total % 3600) / 60), 'm'],
    [total % 60, 's'],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first === -1) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount}${unit}`)
    .join(' ');
}
