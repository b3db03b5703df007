import { Prefetch } from './prefetch.ts';

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
