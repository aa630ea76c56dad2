// One record of the file as the rules know it: null means absent, older field names are read as today's. Apart from
// file-values.ts because `liza show` reads single records and loads nothing that knows the whole board.

import { normalise as rename } from '../protocol/records/aliases.ts';
import { type Fields, isFields } from '../protocol/values.ts';

/** The very same object when nothing had to change. */
export const normaliseRecord = (section: string, record: unknown): unknown =>
  isFields(record) ? withoutNulls(rename(section, record)) : record;

function withoutNulls(record: Fields): Fields {
  for (const key in record) {
    if (record[key] === null) return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));
  }
  return record;
}
