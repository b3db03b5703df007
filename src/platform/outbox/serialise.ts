/** A payload as callers pass it: strings may also be dates and bigints. */
export type Emittable<Value> = Value extends string
  ? string | Date | bigint
  : Value extends object
    ? { [Key in keyof Value]: Emittable<Value[Key]> }
    : Value;

/**
 * Returns a payload as JSON. Dates become ISO 8601, and bigints become strings, so that no reader rounds them. Values
 * that PostgreSQL cannot store are refused here, before they can break the caller's transaction.
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
