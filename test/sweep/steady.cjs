// Loaded before the swept program: names that are drawn by lot come out the same in every run, so that
// the n-th call on a path is the n-th every time.

const fs = require('node:fs');

let drawn = 0;
Math.random = () => {
  drawn += 1;
  return (drawn * 0.6180339887498949) % 1;
};

let made = 0;
fs.mkdtempSync = (prefix) => {
  made += 1;
  const folder = `${prefix}${String(made).padStart(6, '0')}`;
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
};

const crypto = require('node:crypto');
const { randomBytes } = crypto;
let bytes = 0;
crypto.randomBytes = (size, ...rest) => {
  if (rest.length > 0) return randomBytes(size, ...rest);
  bytes += 1;
  return crypto.createHash('sha512').update(String(bytes)).digest().subarray(0, size);
};
