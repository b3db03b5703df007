import type { Database, Queryable, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';

const QUERY_CANCELED = '57014';

/** Whether PostgreSQL ended a statement because it took too long. */
export function isStatementTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === QUERY_CANCELED;
}

/** Runs statements that cannot be made smaller: of a single row, or a repair that must be one transaction. */
export function withLongTimeout<T>(sql: Database, work: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  return transaction(sql, async (tx) => {
    await tx`set local statement_timeout = '10min'`;
    return work(tx);
  });
}

/** After a timeout, a smaller size is kept for so many statements before a larger one is tried again. */
const STEADY = 16;

/** How much one statement takes on: half as much after each timeout, and more again when all has gone well for a while. */
export class BatchSize {
  readonly #largest: number;
  #size: number;
  #steady = 0;

  constructor(largest: number) {
    this.#largest = largest;
    this.#size = largest;
  }

  get current(): number {
    return this.#size;
  }

  succeeded(): void {
    if (this.#steady > 0) this.#steady -= 1;
    else this.#size = Math.min(this.#largest, this.#size * 2);
  }

  /** Throws what is not a timeout, and a timeout where nothing can be made smaller. */
  failed(error: unknown): void {
    if (!isStatementTimeout(error) || this.#size === 1) throw error;
    this.#size = Math.ceil(this.#size / 2);
    this.#steady = STEADY;
  }
}

/**
 * Runs a statement over items, in their order. When it takes too long, it is tried again over half of them; a single item
 * gets as long as it needs. Returns the result of each statement.
 */
export async function splitOnTimeout<Item, Result>(
  sql: Database,
  items: Item[],
  statement: (sql: Queryable, items: Item[]) => PromiseLike<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const size = new BatchSize(Math.max(1, items.length));
  for (let start = 0; start < items.length; ) {
    const part = items.slice(start, start + size.current);
    try {
      const isSingle = size.current === 1;
      results.push(
        await (isSingle ? withLongTimeout(sql, (tx) => statement(tx, part)) : statement(sql, part)),
      );
      start += part.length;
      size.succeeded();
    } catch (error) {
      size.failed(error);
    }
  }
  return results;
}
