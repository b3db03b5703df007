import { beforeAll, expect, test } from 'vitest';
import { createPerson, DEV_KEYS, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  invite,
  join,
  type Reader,
  saveMedia,
} from '../../../test/support/libraries.ts';
import type { BackfillKey } from '../../contract/libraries.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { EndedJob } from '../../platform/jobs/job-type.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let owner: Reader;
let member: Reader;

beforeAll(async () => {
  [owner, member] = [await createReader(app), await createReader(app)];
});

/** Returns the events that were emitted while `action` ran. */
async function emittedBy(action: () => Promise<unknown>) {
  const [{ last }] = await sql<[{ last: string }]>`select pg_current_xact_id()::text as last`;
  await action();
  const events = await sql`
    select event_type, aggregate_type, aggregate_id, payload, request_id
    from outbox_event where transaction_id > ${last}::xid8 order by transaction_id, id`;
  return [...events];
}

const types = (events: Record<string, unknown>[]) => events.map(({ event_type }) => event_type);

test('changes of a library emit events in the same transaction, with the request id', async () => {
  let library = '';
  const created = await emittedBy(async () => {
    const { body, headers } = await owner.post('/libraries', { name: 'Told' });
    library = body.data.id;
    expect(headers.get('x-request-id')).toMatch(/\w/);
  });
  expect(created).toEqual([
    {
      event_type: 'library.created',
      aggregate_type: 'library',
      aggregate_id: library,
      payload: { library_id: library, name: 'Told', owner_user_id: owner.id },
      request_id: expect.any(String),
    },
  ]);
  const media_id = await saveMedia(sql, owner);
  const added = () => owner.post(`/libraries/${library}/media`, { media_id });
  expect(await emittedBy(added)).toMatchObject([
    {
      event_type: 'library.media_added',
      payload: { library_id: library, media_id, added_by_user_id: owner.id },
    },
  ]);
  expect(await emittedBy(added)).toEqual([]);
  const removed = () => owner.delete(`/libraries/${library}/media/${media_id}`);
  expect(types(await emittedBy(removed))).toEqual(['library.media_removed']);
  expect(types(await emittedBy(added))).toEqual(['library.media_added']);
  const joined = await emittedBy(() => join(owner, library, member));
  expect(types(joined)).toEqual(['invitation.created', 'invitation.accepted', 'library.member_added']);
  expect(joined[2]?.payload).toEqual({ library_id: library, user_id: member.id, role: 'member' });
  const transferred = () =>
    owner.post(`/libraries/${library}/transfer-ownership`, { new_owner_user_id: member.id });
  expect(await emittedBy(transferred)).toMatchObject([
    {
      event_type: 'library.ownership_transferred',
      payload: { from_user_id: owner.id, to_user_id: member.id },
    },
  ]);
  expect(await emittedBy(transferred)).toEqual([]);
  const left = () => member.delete(`/libraries/${library}/members/${owner.id}`);
  expect(types(await emittedBy(left))).toEqual(['library.member_removed']);
  expect(await emittedBy(left)).toEqual([]);
  expect(types(await emittedBy(() => member.delete(`/libraries/${library}`)))).toEqual(['library.deleted']);
});

test('a refused request emits nothing', async () => {
  const library = await createLibrary(owner);
  expect(
    await emittedBy(async () => {
      await member.delete(`/libraries/${library}`);
      await owner.post('/libraries', { name: '' });
      await owner.delete(`/libraries/${library}/members/${owner.id}`);
    }),
  ).toEqual([]);
});

test('declining or revoking an invitation emits one event', async () => {
  const library = await createLibrary(owner);
  const declined = await invite(owner, library, member);
  const decline = () => member.post(`/libraries/invites/${declined}/decline`);
  expect(await emittedBy(decline)).toMatchObject([
    { event_type: 'invitation.declined', payload: { invitation_id: declined, invitee_user_id: member.id } },
  ]);
  expect(await emittedBy(decline)).toEqual([]);
  const revoked = await invite(owner, library, member);
  const revoke = () => owner.delete(`/libraries/invites/${revoked}`);
  expect(types(await emittedBy(revoke))).toEqual(['invitation.revoked']);
  expect(await emittedBy(revoke)).toEqual([]);
});

test('a backfill emits an event when it completes or fails permanently', async () => {
  const library = await createLibrary(owner);
  const context = {
    jobId: '01900000-0000-7000-8000-000000000001',
    requestId: null,
    signal: new AbortController().signal,
    log: app.shell.server.log as never,
    complete: async () => undefined,
  };
  await join(owner, library, member);
  const [key] = await sql`
    select default_library_id, source_library_id, user_id from default_library_backfill_jobs
    where source_library_id = ${library}`;
  const failedJob = (payload: BackfillKey): EndedJob<BackfillKey> => ({
    job_id: context.jobId,
    job_type: app.services.backfill.type.type,
    payload,
    status: 'failed',
    attempt_count: 1,
    created_by: null,
    created_by_user_id: null,
    request_id: null,
    traceparent: null,
    error_code: null,
    error_text: 'no',
  });
  const run = () => app.services.backfill.run(key as never, context);
  expect(await emittedBy(run)).toMatchObject([{ event_type: 'backfill.completed', payload: key }]);
  await transaction(
    sql,
    (tx) => tx`
    update default_library_backfill_jobs
    set status = 'pending', attempts = 4, finished_at = null where source_library_id = ${library}`,
  );
  const failing = { ...context, complete: () => Promise.reject(new Error('no')) };
  const failed = await emittedBy(async () => {
    await expect(app.services.backfill.run(key as never, failing)).rejects.toThrow('no');
    await transaction(sql, async (tx) => app.services.backfill.type.onEnded?.(tx, failedJob(key as never)));
  });
  expect(failed).toMatchObject([
    { event_type: 'backfill.failed', payload: { ...key, attempts: 5, error_code: 'E_BACKFILL_FAILED' } },
  ]);
});

test('creating and disabling an API key emit one event each', async () => {
  const told = await emittedBy(() => createPerson(app));
  expect(types(told)).toEqual(['api_key.created']);
  const id = told[0]?.aggregate_id;
  const disable = () => app.call('POST', `/api/v1/api-keys/${id}/disable`, { key: DEV_KEYS.admin });
  expect(types(await emittedBy(disable))).toEqual(['api_key.disabled']);
  expect(await emittedBy(disable)).toEqual([]);
});

test('a job of a public type emits an event when it ends; internal jobs do not', async () => {
  const key = DEV_KEYS.operator;
  const submit = (execution_mode: string) =>
    app.call('POST', '/api/v1/jobs/submit', { key, body: { job_type: 'integrity_audit', execution_mode } });
  const ran = await emittedBy(() => submit('sync'));
  expect(ran).toMatchObject([
    {
      event_type: 'job.succeeded',
      payload: { job_type: 'integrity_audit', created_by: 'dev-operator', attempt_count: 1 },
    },
  ]);
  const { body } = await submit('async');
  const cancel = () => app.call('POST', `/api/v1/jobs/${body.job_id}/cancel`, { key });
  expect(await emittedBy(cancel)).toMatchObject([
    { event_type: 'job.cancelled', payload: { job_id: body.job_id, attempt_count: 0 } },
  ]);
  expect(await emittedBy(cancel)).toEqual([]);
});
