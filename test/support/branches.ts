import { expect } from 'vitest';
import type { Edit } from '../../src/contract/branches.ts';
import type { Reader } from './libraries.ts';

/** A document with two paragraphs, an accent, and a character outside the BMP. */
export const HTML = '<p>Once upon a time</p><p>there was a café 😀</p>';
export const TEXT = 'Once upon a time\nthere was a café 😀';

export async function fork(by: Reader, origin: object) {
  const answer = await by.post('/api/v1/branches', origin);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body.data as { id: string; event_count: number; text_hash: string };
}

export const append = (by: Reader, branchId: string, after: number, events: unknown[]) =>
  by.post(`/api/v1/branches/${branchId}/events`, { after, events });

export const textOf = async (by: Reader, branchId: string, position?: number) =>
  (await by.get(`/api/v1/branches/${branchId}/text${position === undefined ? '' : `?position=${position}`}`))
    .body.data;

/** Runs the job `branch_replay` and returns it when it has ended. */
export async function replay(by: Reader, branchId: string) {
  const submitted = await by.post('/api/v1/jobs/submit', {
    job_type: 'branch_replay',
    payload: { branch_id: branchId },
    execution_mode: 'sync',
  });
  return (await by.get(`/api/v1/jobs/${submitted.body.job_id}`)).body;
}

export const insert = (at: number, text: string): Edit => ({ kind: 'insert', at, text });
