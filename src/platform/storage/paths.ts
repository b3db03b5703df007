const NAME = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}';
const PATH = new RegExp(`^${NAME}(/${NAME}){0,9}$`);

/** Throws for a path that could mean anything other than a file below the root, in any kind of storage. */
export function checkPath(path: string): void {
  if (!PATH.test(path)) throw new Error(`${JSON.stringify(path)} is not a valid storage path.`);
}

/** Like `checkPath`, for a prefix of a path, which may end anywhere. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '') checkPath(prefix.replace(/\/$/, ''));
}
