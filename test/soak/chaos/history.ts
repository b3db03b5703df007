/** The name of one fact, such as `['member', 'library-3', 'person-1']`, and its value. An absent fact is undefined. */
export type Fact = readonly string[];
export type Value = string | undefined;

/** The time in which a request was under way. Its effect, or what it read, is of a moment in it. */
export interface Span {
  from: number;
  to: number;
}

interface Entry extends Span {
  kind: 'write' | 'read';
  value: Value;
  /** Whether it certainly took effect. A write without an answer may take effect at any time after it began, or never. */
  isCertain: boolean;
}

/** The state before the first request: no fact is there. */
const NOTHING: Entry = { kind: 'write', value: undefined, isCertain: false, from: -1, to: -1 };

/**
 * All writes and reads of parallel requests, and the rule that they must satisfy: a read returns a value that was written,
 * and that no other value has certainly replaced between that write and the read. So an acknowledged write may only be
 * missing if a later one, or a parallel one, has replaced it.
 *
 * `causes` lists, for a fact, the entries of other facts that decide it too: a library that is deleted has no members.
 */
export class History {
  readonly #entries = new Map<string, Entry[]>();
  readonly #causes: (fact: Fact) => Cause[];

  constructor(causes: (fact: Fact) => Cause[] = () => []) {
    this.#causes = causes;
  }

  /** A write that was acknowledged. */
  wrote(fact: Fact, value: Value, { from, to }: Span): void {
    this.#add(fact, { kind: 'write', value, isCertain: true, from, to });
  }

  /** A write that may have taken effect, or may still do so. */
  mayHaveWritten(fact: Fact, value: Value, { from }: Pick<Span, 'from'>): void {
    this.#add(fact, { kind: 'write', value, isCertain: false, from, to: Number.POSITIVE_INFINITY });
  }

  read(fact: Fact, value: Value, { from, to }: Span): void {
    this.#add(fact, { kind: 'read', value, isCertain: true, from, to });
  }

  facts(): Fact[] {
    return [...this.#entries.keys()].map((key) => key.split(' '));
  }

  count(): { writes: number; uncertain: number; reads: number } {
    const all = [...this.#entries.values()].flat();
    const writes = all.filter(({ kind }) => kind === 'write');
    const uncertain = writes.filter(({ isCertain }) => !isCertain).length;
    return { writes: writes.length - uncertain, uncertain, reads: all.length - writes.length };
  }

  /** Describes each fact that was read with a value that it cannot have had. */
  violations(): string[] {
    return this.facts().flatMap((fact) => {
      const entries = this.#decisive(fact);
      const own = this.#entries.get(fact.join(' ')) ?? [];
      const wrong = own.find((entry) => entry.kind === 'read' && !isExplained(entry, entries));
      if (!wrong) return [];
      const lines = entries.toSorted((a, b) => a.from - b.from).map(describe);
      return [[`${fact.join(' ')}: cannot be read as ${describe(wrong)}`, ...lines].join('\n  ')];
    });
  }

  #add(fact: Fact, entry: Entry): void {
    const key = fact.join(' ');
    const entries = this.#entries.get(key) ?? [];
    entries.push(entry);
    this.#entries.set(key, entries);
  }

  #decisive(fact: Fact): Entry[] {
    const own = this.#entries.get(fact.join(' ')) ?? [];
    const caused = this.#causes(fact).flatMap(({ of, effect }) =>
      this.#decisive(of).flatMap((entry) => {
        const change = entry === NOTHING ? undefined : effect(entry.value);
        if (!change) return [];
        return [{ ...entry, value: change.value, isCertain: entry.isCertain && !change.isOptional }];
      }),
    );
    return [NOTHING, ...own, ...caused];
  }
}

/** The effect of one fact on another. `isOptional`: it may leave the other as it is. */
export interface Cause {
  of: Fact;
  effect(value: Value): { value: Value; isOptional?: boolean } | undefined;
}

function isExplained(read: Entry, entries: Entry[]): boolean {
  const others = entries.filter((entry) => entry !== read);
  const replaced = others
    .filter(({ isCertain, value, to }) => isCertain && value !== read.value && to < read.from)
    .reduce((latest, { from }) => Math.max(latest, from), Number.NEGATIVE_INFINITY);
  return others.some(
    ({ kind, value, from, to }) =>
      kind === 'write' && value === read.value && from <= read.to && to >= replaced,
  );
}

function describe({ kind, value, isCertain, from, to }: Entry): string {
  const certainty = isCertain ? '' : ' (uncertain)';
  return `${Math.round(from)}–${Number.isFinite(to) ? Math.round(to) : '…'} ${kind} ${value ?? '(absent)'}${certainty}`;
}
