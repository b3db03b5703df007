export type Chance = () => number;

export function pick<T>(from: Iterable<T>, chance: Chance): T | undefined {
  const all = [...from];
  return all[Math.floor(chance() * all.length)];
}

/** An entry of a table, with how often it is chosen relative to the others, and what it does. */
export type Weighted<Do> = [name: string, weight: number, run: Do];

export function pickByWeight<Do>(table: Weighted<Do>[], chance: Chance): Weighted<Do> {
  let rest = chance() * table.reduce((sum, [, weight]) => sum + weight, 0);
  for (const entry of table) {
    rest -= entry[1];
    if (rest < 0) return entry;
  }
  return table.at(-1) as Weighted<Do>;
}
