// A ledger to begin with.

export const sample = () => '2026-03-01 rent       640.00  March\n2026-03-02 groceries   12.50  market\n';
