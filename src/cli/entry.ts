// The program's first file, kept tiny: it alone is compiled anew at every start, the rest comes out of
// V8's code cache (parts.ts).

import { part, saveCompiled } from './parts.ts';

/** Put in by tools/build.mjs: the hash of main.cjs. */
declare const MAIN_ID: string;

const { main } = part('main.cjs', MAIN_ID) as unknown as typeof import('./main.ts');
void main(saveCompiled);
