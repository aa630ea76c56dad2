/** How many random cases: a quarter of them in `npm run check`, all of them in `npm test`, more if LIZA_RUNS says so. */
export const runs = (all: number): number => Math.ceil(all * Number(process.env['LIZA_RUNS'] ?? 0.25));
