// How a command is typed, as its row says. The rows themselves get this with their situation: they cannot import what
// reads them.

import type { Usage } from './row.ts';
import { TABLE } from './table.ts';

export const usage: Usage = (name, task = '<task>') => `liza ${TABLE[name].usage.replaceAll('{task}', task)}`;
