// A ledger to begin with.

export function sample() {
  console.log('2026-03-01 rent       640.00  March');
  console.log('2026-03-02 groceries   12.50  market');
}
