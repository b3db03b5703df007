import type { Database, Queryable, Transaction } from '../database/database.ts';
import { transaction } from '../database/transaction.ts';

const QUERY_CANCELED = '57014';

/** Whether PostgreSQL cancelled a statement because of its timeout. */
function isStatementTimeout(error: unknown): boolean {
  return (error as { code?: unknown }).code === QUERY_CANCELED;
}

/** Runs statements that cannot be split, such as a repair in one transaction, with a timeout of ten minutes. */
export function withLongTimeout<T>(sql: Database, work: (tx: Transaction) => PromiseLike<T>): Promise<T> {
  return transaction(sql, async (tx) => {
    await tx`set local statement_timeout = '10min'`;
    return work(tx);
  });
}

/** The number of successful statements after a timeout before the size grows again. */
const STATEMENTS_BEFORE_GROWTH = 16;

/** The number of items per statement: halved after each timeout, doubled again after a series of successes. */
export class BatchSize {
  readonly #max: number;
  #size: number;
  #statementsBeforeGrowth = 0;

  constructor(max: number) {
    this.#max = max;
    this.#size = max;
  }

  get current(): number {
    return this.#size;
  }

  succeeded(): void {
    if (this.#statementsBeforeGrowth > 0) this.#statementsBeforeGrowth -= 1;
    else this.#size = Math.min(this.#max, this.#size * 2);
  }

  /** Halves the size after a timeout. Rethrows other errors, and a timeout when the size is already 1. */
  failed(error: unknown): void {
    if (!isStatementTimeout(error) || this.#size === 1) throw error;
    this.#size = Math.ceil(this.#size / 2);
    this.#statementsBeforeGrowth = STATEMENTS_BEFORE_GROWTH;
  }
}

/** Runs a statement over items. After a timeout it takes half as many; a single item gets the long timeout. */
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
