// A ledger's text as entries; amounts are whole cents.

const LINE = /^(\d{4}-\d{2}-\d{2})\s+(\S+)\s+(-?)(\d+)\.(\d{2})(?:\s+(.*))?$/;

export function parseLedger(text) {
