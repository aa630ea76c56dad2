// A filter of system calls for bubblewrap (Linux): nobody inside may take a lease on a file (fcntl F_SETLEASE). The kernel
// gives one to whoever owns the file, even where it is shown read-only, and everybody who opens the file then waits for
// the holder, up to 45 s each time: git, Liza and the user. Everything else is allowed. As the kernel reads it: classic
// BPF, eight bytes an instruction.

const LOAD = 0x20;
const JUMP_IF = 0x15;
const ANSWER = 0x06;

/** Places in what the kernel shows of a call: its number, the instruction set, the second argument's low half. */
const NUMBER = 0;
const INSTRUCTION_SET = 4;
const SECOND = 24;

const ALLOWED = 0x7fff0000;
const NOT_PERMITTED = 0x00050001;
const SET_LEASE = 1024;

/** The numbers of fcntl and fcntl64, for each instruction set that the machine can run. */
const CALLS: Readonly<Record<string, readonly (readonly [set: number, calls: readonly number[]])[]>> = {
  x64: [
    [0xc000003e, [72, 0x40000000 + 72]],
    [0x40000003, [55, 221]],
  ],
  arm64: [
    [0xc00000b7, [25]],
    [0x40000028, [55, 221]],
  ],
};

/** Undefined: the calls of this machine are not known here. */
export function leaseFilter(arch: string): Buffer | undefined {
  const sets = Object.hasOwn(CALLS, arch) ? CALLS[arch] : undefined;
  if (sets === undefined) return undefined;
  const program = [...sets.flatMap(([set, calls]) => forSet(set, calls)), instruction(ANSWER, ALLOWED)];
  return Buffer.concat(program);
}

function forSet(set: number, calls: readonly number[]): readonly Buffer[] {
  const block = [
    instruction(LOAD, NUMBER),
    // To the look at the argument, past the calls that follow and the answer for all others.
    ...calls.map((call, n) => instruction(JUMP_IF, call, calls.length - n, 0)),
    instruction(ANSWER, ALLOWED),
    instruction(LOAD, SECOND),
    instruction(JUMP_IF, SET_LEASE, 0, 1),
    instruction(ANSWER, NOT_PERMITTED),
    instruction(ANSWER, ALLOWED),
  ];
  return [instruction(LOAD, INSTRUCTION_SET), instruction(JUMP_IF, set, 0, block.length), ...block];
}

/** `yes`, `no`: how many instructions a jump passes over. */
function instruction(code: number, value: number, yes = 0, no = 0): Buffer {
  const made = Buffer.alloc(8);
  made.writeUInt16LE(code, 0);
  made.writeUInt8(yes, 2);
  made.writeUInt8(no, 3);
  made.writeUInt32LE(value, 4);
  return made;
}
