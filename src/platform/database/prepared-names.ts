/** A statement is prepared when it has been used this often: what runs once at a start is not worth it. */
const USES = 3;
/** More than Nexus has. It only bounds the memory, should the text of a statement depend on what is asked for. */
const MOST_NAMES = 2000;
const MOST_COUNTED = 5000;

const names = new Map<string, string>();
const counts = new Map<string, number>();

/**
 * Returns the name under which connections prepare a statement: they parse it once, and PostgreSQL keeps its plan. Undefined
 * for a statement that is not used often.
 */
export function preparedName(text: string): string | undefined {
  const name = names.get(text);
  if (name !== undefined || names.size === MOST_NAMES) return name;
  const count = (counts.get(text) ?? 0) + 1;
  if (count < USES) {
    if (counts.size === MOST_COUNTED) counts.clear();
    counts.set(text, count);
    return undefined;
  }
  counts.delete(text);
  const given = `nexus_${names.size + 1}`;
  names.set(text, given);
  return given;
}
