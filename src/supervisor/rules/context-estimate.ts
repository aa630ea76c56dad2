// How full a session's context is, for a provider that does not tell: the bytes it was given and has printed, against
// the window of its model. Rough, and on the safe side of never knowing.

const BYTES_PER_TOKEN = 4;

export interface ContextEstimate {
  /** More bytes were read or written. */
  add(bytes: number): void;
  percent(): number;
}

/** `before`: percent that a resumed session had used when it was stopped. */
export function estimateContext(window: number, first: number, before = 0): ContextEstimate {
  let bytes = first;
  return {
    add: (more) => {
      bytes += more;
    },
    percent: () => Math.min(100, Math.round(before + (bytes / (window * BYTES_PER_TOKEN)) * 100)),
  };
}
