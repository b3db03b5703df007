/** A value of a payload before it is written: what JSON has, and what it has no word for. */
export type Emittable<Value> = Value extends string
  ? string | Date | bigint
  : Value extends object
    ? { [Key in keyof Value]: Emittable<Value[Key]> }
    : Value;

/**
 * Writes a payload as JSON. Dates become ISO 8601; whole numbers of any size (bigint) and decimals, which arrive from
 * PostgreSQL as text, are written as text, so that no reader rounds them. What cannot be stored is refused here, before
 * it can spoil the caller's transaction.
 */
export function serialise(payload: unknown): string {
  return JSON.stringify(payload, (key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value === 'number' && !Number.isFinite(value)) refuse(key, `${value} is no number in JSON`);
    if (typeof value === 'string' && value.includes('\0')) refuse(key, 'PostgreSQL stores no NUL character');
    return value;
  });
}

function refuse(key: string, why: string): never {
  throw new TypeError(`The payload's ${key} cannot be stored: ${why}.`);
}
