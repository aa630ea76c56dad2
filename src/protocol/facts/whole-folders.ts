// Entries of a scope that stand for everything, or for a folder of documents. By the words alone.

import { sectionLines } from './scope-sections.ts';

/** The entry of OUT that leaves nothing, as it is written. */
export const wholeOut = (scope: string): string | undefined =>
  sectionLines(scope)
    .filter(({ section }) => section === 'out')
    .flatMap(({ line }) => line.split(/[,;]/))
    .map((entry) => entry.trim().replace(/^[`"'](.*)[`"']$/, '$1'))
    .find((entry) => EVERYTHING.test(entry));

const EVERYTHING = /^(?:(?:\.?\/)?\*{1,2}(?:\/\*{1,2})?|\.\/?|\/)\.?$/;

export const isDocsFolder = (path: string): boolean => /^(?:docs?|documentation)\/?(?:\*{1,2}(?:\/\*)?)?$/i.test(path);
