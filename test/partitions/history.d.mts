export function checkHistory(entries: readonly object[], tasks: readonly object[]): string[];
export function checkLine(line: readonly string[], tasks: readonly object[]): string[];
export function planted(entries: readonly object[]): readonly (readonly [string, readonly object[], RegExp])[];
