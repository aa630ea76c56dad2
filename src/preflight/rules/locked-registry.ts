// Whether a project's lock file takes packages from a registry: then set-up fails without the login of that registry.

export interface NamedRegistry {
  /** `@acme`; absent: it serves all packages. */
  readonly scope?: string | undefined;
  readonly host: string;
}

/** By its address, or by a package of its scope: some lock files leave the address out. */
export function isLockedTo(lock: string, { scope, host }: NamedRegistry): boolean {
  const places = [`//${host}/`, `//${host}:`, ...(scope === undefined ? [] : [`${scope}/`])];
  return places.some((place) => lock.split(place).some((before, at, all) => at < all.length - 1 && isBegin(before)));
}

/** `@acme/` is no part of `x@acme/`, nor `//host/` of a longer word. */
const isBegin = (before: string): boolean => !/[\w.@-]$/.test(before);
