// Cents as people write them: 1250 is 12.50.

export function money(cents) {
  const whole = Math.trunc(cents / 100);
  const rest = String(Math.abs(cents % 100)).padStart(2, '0');
  return `${whole}.${rest}`;
}
