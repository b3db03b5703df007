/** Decides how much a loop claims and what it begins next. */
export interface Intake<Item> {
  /** How many more items to claim now. `isWoken` says that there may be items that no claim has seen yet. */
  wanted(isWoken: boolean): number;
  add(items: Item[]): void;
  /** The next item to begin; undefined when there is none, or no slot for it. */
  begin(): Item | undefined;
  ended(item: Item): void;
  /** Whether items are claimed that have not begun. */
  isHolding(): boolean;
  /** Takes out the items that have waited for a slot for too long, or all of them. */
  takeHeld(longerThanMs: number): Item[];
}

/** One queue in front of a number of slots. */
export function createSlotIntake<Item>(slots: number, mostItems = Number.POSITIVE_INFINITY): Intake<Item> {
  const ahead = new Prefetch<Item>();
  let running = 0;
  let begun = 0;
  return {
    wanted() {
      if (mostItems === Number.POSITIVE_INFINITY) return ahead.missing(slots - running);
      return Math.max(0, Math.min(slots - running, mostItems - begun) - ahead.size);
    },
    add: (items) => ahead.add(items),
    begin() {
      const item = running < slots ? ahead.take() : undefined;
      if (item === undefined) return undefined;
      running += 1;
      begun += 1;
      return item;
    },
    ended() {
      running -= 1;
    },
    isHolding: () => ahead.size > 0,
    takeHeld: (longerThanMs) => (ahead.size > 0 && ahead.heldMs() >= longerThanMs ? ahead.clear() : []),
  };
}

/** At most this many items are claimed at once. */
const LARGEST_CLAIM = 3000;
/** The rate is measured over at least this long. */
const SHORTEST_MEASURE_MS = 5;

/** The items that have been claimed and not begun, and how many of them there should be. */
export class Prefetch<Item> {
  #items: Item[] = [];
  #next = 0;
  #heldSince = 0;
  /** Items begun per millisecond, smoothed. */
  #rate = 0;
  #begun = 0;
  #measuredAt = performance.now();
  readonly #aheadMs: number;

  /** Items are claimed ahead for so long at the present rate, so that slots do not wait for the database. */
  constructor(aheadMs = 100) {
    this.#aheadMs = aheadMs;
  }

  get size(): number {
    return this.#items.length - this.#next;
  }

  /** How many more to claim for `slots` free slots. Below half of what the present rate needs, it is filled up. */
  missing(slots: number): number {
    const target = Math.min(LARGEST_CLAIM, Math.ceil(this.#rate * this.#aheadMs));
    return Math.max(0, slots - this.size, this.size < target / 2 ? target - this.size : 0);
  }

  add(items: Item[]): void {
    if (this.size === 0) this.#heldSince = performance.now();
    this.#items = [...this.#items.slice(this.#next), ...items];
    this.#next = 0;
    this.#measure();
  }

  take(): Item | undefined {
    const item = this.#items[this.#next];
    if (!item) return undefined;
    this.#next += 1;
    this.#begun += 1;
    this.#heldSince = performance.now();
    return item;
  }

  /** How long no item has been taken of those that are there. */
  heldMs(): number {
    return this.size === 0 ? 0 : performance.now() - this.#heldSince;
  }

  /** Empties it, and forgets the rate that it was filled for. */
  clear(): Item[] {
    const items = this.#items.slice(this.#next);
    this.#items = [];
    this.#next = 0;
    this.#rate = 0;
    return items;
  }

  #measure(): void {
    const now = performance.now();
    const elapsed = now - this.#measuredAt;
    if (elapsed < SHORTEST_MEASURE_MS) return;
    const current = this.#begun / elapsed;
    this.#rate = this.#rate === 0 ? current : this.#rate * 0.6 + current * 0.4;
    this.#measuredAt = now;
    this.#begun = 0;
  }
}
