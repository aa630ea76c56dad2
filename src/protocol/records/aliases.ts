// Other names under which the same facts are found in older or hand-written states.
// Stores read records through this, so that everything above knows one name for one thing.

const ALIASES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anomalies: { task_id: 'task', logged_by: 'reporter' },
  tasks: { rejection_feedback: 'rejection_reason' },
};

/** The record under its one set of names; the very same object when nothing had to be renamed. */
export function normalise<T>(section: string, record: T): T {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  const fields = record as Readonly<Record<string, unknown>>;
  const names = ALIASES[section] ?? {};
  const role = section === 'agents' && fields.role === 'code-reviewer';
  if (!role && !Object.keys(names).some((name) => Object.hasOwn(fields, name))) return record;
  const renamed = Object.entries(fields).flatMap(([key, value]): [string, unknown][] => {
    const name = Object.hasOwn(names, key) ? (names[key] ?? key) : key;
    // Where both are given, the proper name wins and the other is dropped.
    return name !== key && Object.hasOwn(fields, name) ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(renamed), ...(role ? { role: 'code_reviewer' } : {}) } as T;
}
