// Whether something happened within the last moments.

interface Lull {
  /** It happens now. */
  begin(): void;
  isOn(): boolean;
  end(): void;
}

export function openLull(ms: number): Lull {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    begin: () => {
      end();
      timer = setTimeout(end, ms);
    },
    isOn: () => timer !== undefined,
    end,
  };
}
