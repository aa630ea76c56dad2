// Whether a process lives: for leftovers whose name holds their writer's pid. Another process may have
// that pid by now; then a leftover stays a little longer, which harms nobody.

export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
