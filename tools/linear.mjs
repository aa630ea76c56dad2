// Whether the rules that read texts are linear in them: agents' texts are judged under the board's lock. Each exported
// function of the given folders of src is called with adversarial texts of 16 KB; what takes too long is told, and the
// exit code is 1. `node tools/linear.mjs [protocol text …]`; the unit test linear.test.ts plays the same seeds for the
// readers of agents' texts.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { slowTexts } from './linear-seeds.mjs';

const SOURCE = fileURLToPath(new URL('../src', import.meta.url));
const PATIENCE = 300_000;
/** They take a list, a number or a record where a text is given here. */
const OTHERS = new Set(['byCriterion', 'nearLine', 'draft']);

const [mode, bundle, name] = process.argv.slice(2);
if (mode === '--one') await tryOne(bundle, name);
else process.exitCode = (await sweep(process.argv.slice(2))) ? 1 : 0;

/** In a process of its own: nothing else ends a pattern that does not come back. */
async function tryOne(file, exported) {
  const read = (await import(pathToFileURL(file)))[exported];
  const forms = [(text) => [text], (text) => [text, text], (text) => [[text]]];
  const taken = forms.filter((form) => answers(read, form('a'))).slice(0, 1);
  for (const form of taken) for (const line of slowTexts((text) => read(...form(text)))) console.log(`  ${line}`);
}

function answers(read, given) {
  try {
    read(...given);
    return true;
  } catch {
    return false;
  }
}

async function sweep(folders) {
  const esbuild = await import('esbuild');
  const out = fs.mkdtempSync(path.join(os.tmpdir(), 'liza-linear-'));
  let isSlow = false;
  for (const file of filesIn(folders.length === 0 ? ['protocol', 'text'] : folders)) {
    const own = path.relative(SOURCE, file);
    const outfile = path.join(out, `${own.replaceAll('/', '_')}.mjs`);
    const banner = { js: "import{createRequire as own}from'node:module';const require=own(import.meta.url);" };
    await esbuild.build({ entryPoints: [file], bundle: true, platform: 'node', format: 'esm', outfile, banner });
    for (const [exported, value] of Object.entries(await import(pathToFileURL(outfile)))) {
      if (typeof value !== 'function' || OTHERS.has(exported)) continue;
      const said = await inChild(outfile, exported);
      if (said !== '') console.log(`${own} ${exported}\n${said.trimEnd()}`);
      isSlow ||= said !== '';
    }
  }
  fs.rmSync(out, { recursive: true });
  console.log(isSlow ? 'not linear, or slow: see above' : 'all linear');
  return isSlow;
}

function filesIn(folders) {
  return folders.flatMap((folder) =>
    fs
      .readdirSync(path.join(SOURCE, folder), { recursive: true })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => path.join(SOURCE, folder, file)),
  );
}

function inChild(file, exported) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--one', file, exported], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
    child.on('close', (_code, signal) => {
      clearTimeout(timer);
      done(signal === null ? said : `${said}  ended after ${PATIENCE / 1000} s\n`);
    });
  });
}
