import type { Transaction } from '../database/database.ts';

/** A job that is over, at least until an operator queues it again. */
export interface EndedJob<Payload = unknown> {
  job_id: string;
  job_type: string;
  payload: Payload;
  status: 'succeeded' | 'failed' | 'cancelled';
  attempt_count: number;
  created_by: string | null;
  created_by_user_id: string | null;
  request_id: string | null;
  error_code: string | null;
  error_text: string | null;
}

/** Called in the transaction that ends the jobs, so that what it writes commits together with their end. */
export type OnJobsEnded = (tx: Transaction, jobs: EndedJob[]) => Promise<void>;
