import type { Queryable } from '../database/database.ts';
import type { SqlFragment } from '../database/statement.ts';
import { BatchSize } from './statement-timeout.ts';

/** The default maximum number of items in a batch. */
const MAX_BATCH_SIZE = 500;

/** One inconsistency: the ids of the affected rows, and what differs. */
export type Finding = Record<string, string | number>;

/** The context of one run of a check. */
export interface AuditRun {
  /** Whether to repair derived data. Original data is never changed. */
  repair: boolean;
  signal: AbortSignal;
  report(kind: string, findings: Finding[]): Promise<void>;
  /**
   * Reports every row that a statement returns: the column `kind`, and the columns of the finding. The rows are copied
   * inside the database, so their number does not matter. Returns the number. Runs on `queryable` if it is given, such as
   * a transaction with a longer timeout.
   */
  reportRows(differences: SqlFragment, queryable?: Queryable): Promise<number>;
  /** Publishes the number of rows checked so far. */
  progress(checked: number): Promise<void>;
}

/**
 * A check that compares stored data with what it should be. It walks tables in batches of bounded size, so memory and
 * statement time do not grow with the database. It can run while people work, and stops when its signal is aborted.
 */
export interface IntegrityCheck {
  /** The data that it checks, such as `files`. */
  name: string;
  run(audit: AuditRun): Promise<void>;
}

/** Yields batches in order, and reads the next one meanwhile. After a statement timeout it reads half as many items. */
export async function* inBatches<Item, Position>(
  next: (after: Position | null, limit: number) => Promise<Item[]>,
  positionOf: (item: Item) => Position,
  maxBatchSize = MAX_BATCH_SIZE,
): AsyncGenerator<Item[]> {
  const size = new BatchSize(maxBatchSize);
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
      // Prevents an unhandled rejection: the promise is awaited in the next iteration or in `finally`.
      upcoming.catch(() => {});
      yield batch;
    }
  } finally {
    // A caller that stops early must not leave a query running.
    await upcoming.catch(() => {});
  }
}
