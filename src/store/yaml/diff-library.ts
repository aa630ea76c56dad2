// The one door to the `diff` package: what is not named here is not in the bundle. Imported lazily alone, by hunks.ts.
export { diffArrays } from 'diff';
