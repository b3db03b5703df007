const NAME = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}';
const PATH = new RegExp(`^${NAME}(/${NAME}){0,9}$`);

/** Throws for a path that could mean anything but a file below the root, on any of the stores. */
export function checkPath(path: string): void {
  if (!PATH.test(path)) throw new Error(`${JSON.stringify(path)} is not a path in storage.`);
}

/** As `checkPath`, for the beginning of one: it may end anywhere. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkPath(prefix.replace(/\/$/, ''));
}
