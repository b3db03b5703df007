import { expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createReader } from '../../../test/support/libraries.ts';
import { newId } from '../../platform/ids.ts';

const database = useDatabase();
const app = useApp(database);

test('the progress of a job is visible to its submitter and to admins', async () => {
  const reader = await createReader(app);
  const body = { job_type: 'ingest_batch', payload: { urls: ['https://example.org/'] } };
  const { job_id } = (await reader.post('/api/v1/jobs/submit', body)).body;
  await database.sql`update job_queue set progress = ${JSON.stringify({ done: 1 })}::jsonb where job_id = ${job_id}`;
  const path = `/api/v1/jobs/${job_id}/progress`;
  const theirs = {
    job_id,
    job_type: 'ingest_batch',
    status: 'queued',
    progress: { done: 1 },
    error_text: null,
    error_code: null,
    created_by: reader.user.username,
    created_by_user_id: reader.id,
  };
  expect((await reader.get(path)).body).toEqual({ data: theirs });
  expect((await app.call('GET', path, { key: DEV_KEYS.admin })).body).toEqual({ data: theirs });
  const stranger = await createPerson(app, { role: 'viewer' });
  for (const key of [stranger.key, DEV_KEYS.operator]) {
    expect((await app.call('GET', path, { key })).body).toEqual({ data: { ...theirs, progress: null } });
  }
});

test('internal jobs are hidden below the role operator', async () => {
  const viewer = await createPerson(app, { role: 'viewer' });
  const reader = await createReader(app);
  const { body } = await reader.post('/media/from_url', { url: 'https://example.org/a' });
  const [job] = await database.sql<{ job_id: string }[]>`
    select job_id from media_jobs where media_id = ${body.data.media_id}`;
  for (const id of [job?.job_id, newId()]) {
    const answer = await app.call('GET', `/api/v1/jobs/${id}/progress`, { key: viewer.key });
    expect(answer).toMatchObject(failure(404, 'E_NOT_FOUND'));
  }
});
