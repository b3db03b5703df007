import type { Queryable } from '../database/database.ts';
import type { SqlFragment } from '../database/statement.ts';
import { BatchSize } from './statement-timeout.ts';

/** Items of a batch, at most. */
const MOST_ITEMS = 500;

/** What is wrong: whatever ids it takes to find it, and what differs. */
export type Finding = Record<string, string | number>;

/** What a check is given. */
export interface AuditRun {
  /** Whether to mend what is derived. Originals are never touched. */
  repair: boolean;
  signal: AbortSignal;
  report(kind: string, findings: Finding[]): Promise<void>;
  /**
   * Reports every row of a statement, whose columns are `kind` and what the finding says. The rows stay in the database,
   * however many there are. Returns their number. Within a transaction that has more time, when it is given one.
   */
  reportRows(differences: SqlFragment, within?: Queryable): Promise<number>;
  /** Says how far the check is. */
  progress(checked: number): Promise<void>;
}

/**
 * Compares what is stored with what it should be. It goes through tables in batches of bounded size, so that neither its
 * memory nor a statement grows with the database; it can run while people work; and it stops when its signal is raised.
 */
export interface IntegrityCheck {
  /** What it looks at. */
  name: string;
  run(audit: AuditRun): Promise<void>;
}

/**
 * Batches from where the last one ended, until there is nothing more. While one is looked at, the next is read. When reading
 * one takes longer than a statement may, it is read again with half as many items.
 */
export async function* inBatches<Item, Position>(
  next: (after: Position | null, most: number) => Promise<Item[]>,
  positionOf: (item: Item) => Position,
  mostItems = MOST_ITEMS,
): AsyncGenerator<Item[]> {
  const size = new BatchSize(mostItems);
  const read = async (after: Position | null): Promise<Item[]> => {
    for (;;) {
      try {
        const batch = await next(after, size.current);
        size.succeeded();
        return batch;
      } catch (error) {
        size.failed(error);
      }
    }
  };
  let upcoming = read(null);
  try {
    for (;;) {
      const batch = await upcoming;
      const last = batch.at(-1);
      if (last === undefined) return;
      upcoming = read(positionOf(last));
      // It is waited for below, or above.
      upcoming.catch(() => {});
      yield batch;
    }
  } finally {
    // Whoever stops in the middle leaves nothing under way.
    await upcoming.catch(() => {});
  }
}
