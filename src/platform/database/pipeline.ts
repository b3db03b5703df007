import type { Pool, QueryConfig, QueryResult } from 'pg';
import { inTurn } from './in-turn.ts';
import { holdWrites } from './one-write.ts';
import { endsConnection, throwMarked } from './trouble.ts';

/** Sends a statement on the connection of a pipeline. */
export interface PipelineRunner {
  query(statement: QueryConfig): Promise<QueryResult>;
}

/**
 * Gives `work` one connection for statements that need no result of each other. Those of one turn of the event loop leave in
 * one write; PostgreSQL runs them one after the other, each in a transaction of its own.
 *
 * The connection is given back when all statements are done, even those that `work` does not wait for after an error:
 * the next user of the connection would wait behind them.
 */
export async function runPipeline<T>(
  pool: Pool,
  isPooled: boolean,
  work: (runner: PipelineRunner) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch(throwMarked);
  const sent: Promise<unknown>[] = [];
  let isOver = false;
  let broken: Error | undefined;
  // A connection may break while no statement runs; without a listener that would end the process.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  const send = (statement: QueryConfig) => {
    holdWrites(client);
    return client.query(statement);
  };
  const sendInOrder = isPooled ? inTurn(send) : send;

  async function query(statement: QueryConfig): Promise<QueryResult> {
    if (isOver) throw new Error('This pipeline has ended; a statement came too late.');
    const result = sendInOrder(statement);
    sent.push(result);
    return result;
  }

  async function giveBack(): Promise<void> {
    isOver = true;
    for (const result of await Promise.allSettled(sent))
      if (result.status === 'rejected' && endsConnection(result.reason)) broken ??= result.reason;
    client.off('error', onError);
    client.release(broken);
  }

  let result: T;
  try {
    result = await work({ query });
  } catch (error) {
    void giveBack();
    throw error;
  }
  await giveBack();
  return result;
}
