export function progress(done: number, all: number, unit: string): void;
export function progressIn(line: string): string | undefined;
export interface RunningStatus {
  begin(name: string): void;
  far(name: string, far: string): void;
  end(name: string, told: string): void;
  close(): void;
}
export function runningStatus(out: {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}): RunningStatus;
