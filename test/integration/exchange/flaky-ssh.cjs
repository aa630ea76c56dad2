// In place of ssh: runs the command on this machine, and does to the connection what the file FLAKY_SSH says at that
// moment. `silent`: the answer is lost, and the connection stays; `lost`: it breaks then. `twice`: all that was sent is sent
// once more, to a server of its own, after the first has answered.

const { spawn } = require('node:child_process');
const fs = require('node:fs');

const how = fs.readFileSync(process.env['FLAKY_SSH'], 'utf8').trim();
const command = process.argv.at(-1);
const sent = [];
let up = 0;
let down = 0;

if (how === 'down') {
  process.stderr.write('ssh: connect to host nowhere port 22: Connection refused\n');
  process.exit(255);
}
const server = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] });
server.stdin.on('error', () => {});
const [kind, amount] = [how.split(' ')[0], Number(how.split(' ')[1] ?? 0)];
const cut = (code) => {
  server.stdin.destroy();
  process.exit(code);
};

process.stdin.on('data', (chunk) => {
  up += chunk.length;
  sent.push(chunk);
  if (kind === 'half-open') return;
  if (kind === 'cut-up' && up > amount) {
    server.stdin.write(chunk.subarray(0, chunk.length - (up - amount)));
    setTimeout(() => cut(255), 20);
    return;
  }
  if (kind === 'delay') setTimeout(() => server.stdin.write(chunk), amount);
  else server.stdin.write(chunk);
});
process.stdin.on('end', () => setTimeout(() => server.stdin.end(), kind === 'delay' ? amount + 10 : 0));
server.stdout.on('data', (chunk) => {
  down += chunk.length;
  // The list of refs gets through, what was done with them does not.
  if (kind === 'silent' && up > 0) return;
  if (kind === 'lost' && up > 0) {
    setTimeout(() => process.exit(255), 100);
    return;
  }
  if (kind === 'cut-down' && down > amount) return;
  process.stdout.write(chunk);
});
server.on('close', (code) => {
  if (/silent|lost/.test(kind) && up > 4) process.exit(255);
  // What is still on its way to git goes first.
  if (kind !== 'twice') return process.stdout.end(() => process.exit(code ?? 255));
  const again = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'ignore', 'ignore'] });
  again.stdin.on('error', () => {});
  again.stdin.end(Buffer.concat(sent));
  again.on('close', () => process.exit(code ?? 255));
});
