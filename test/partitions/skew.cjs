// Loaded before a program of Node: its wall clock is SKEW_MS ahead. The monotonic one goes on as it is.

const ahead = Number(process.env['SKEW_MS'] ?? 0);
const real = Date.now;
Date.now = () => real() + ahead;
globalThis.Date = new Proxy(Date, {
  construct: (target, args) => new target(...(args.length === 0 ? [Date.now()] : args)),
  apply: (target) => new target(Date.now()).toString(),
});
