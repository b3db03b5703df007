/** An object of a JSON file, before anything about it is known. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldsIn = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/** Returns a list of objects, if the first one has the given fields. */
export function listOf(value: unknown, ...names: string[]): Fields[] | undefined {
  const items = fieldsIn(value);
  const [first] = items;
  return first && names.every((name) => name in first) ? items : undefined;
}
