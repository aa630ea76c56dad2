// Two kills that leave the same files leave the same problem: only one of them has to be examined. Same
// means byte for byte, but for what differs between two runs of anything: times, process ids, hashes of the
// journal's lines (they hold times) and what an index remembers of the inodes.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** Derived by the store, bound to the board by its hash, and swept by strace.mjs. */
const DERIVED = /^\.liza\/cache\//;

export function fingerprint(root) {
  const whole = createHash('sha256');
  for (const entry of entriesIn(root).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const stat = fs.lstatSync(path.join(root, entry.name));
    whole.update(`${stat.mode.toString(8)} ${nameless(entry.name)}\0`);
    if (stat.isSymbolicLink()) whole.update(fs.readlinkSync(path.join(root, entry.name)));
    if (stat.isFile() && !DERIVED.test(entry.name)) whole.update(contentOf(root, entry.name));
    whole.update('\0');
  }
  return whole.digest('hex');
}

const entriesIn = (root) =>
  fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => ({ name: path.relative(root, path.join(entry.parentPath, entry.name)) }));

const nameless = (name) =>
  name
    .replace(/tmp_(\w+?)_\w{6}$/, 'tmp_$1_RANDOM')
    .replace(/\.\d+(\.new)?$/, '.PID$1')
    .replace(/\.scratch-\d+-/, '.scratch-PID-');

function contentOf(root, name) {
  const bytes = fs.readFileSync(path.join(root, name));
  if (/index(\.lock)?$/.test(name)) return indexOf(bytes);
  if (name.includes('/objects/')) return bytes;
  const text = bytes.toString('latin1').replaceAll(root, 'ROOT');
  return /^(\.git\/liza|\.liza)\//.test(name) ? timeless(text) : text;
}

const timeless = (text) =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}\/\d+\/\d+/g, 'PROCESS')
    .replace(/[0-9a-f]{64}/g, 'HASH')
    .replace(/after \d+\.\d+ s/g, 'after a while');

/** Of an entry its mode, id, flags and name; torn or unknown, the bytes as they are. */
function indexOf(bytes) {
  if (bytes.length < 12 || bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) !== 2) return bytes;
  const parts = [];
  let at = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const end = bytes.indexOf(0, at + 62);
    if (end === -1) return bytes;
    parts.push(bytes.subarray(at + 24, at + 28), bytes.subarray(at + 40, end));
    at += (62 + (end - at - 62) + 8) & ~7;
  }
  return Buffer.concat([...parts, bytes.subarray(at, Math.max(at, bytes.length - 20))]);
}
