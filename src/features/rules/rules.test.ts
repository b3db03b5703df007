import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { untilIdle } from '../../../test/support/idle.ts';
import {
  auditOf,
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../test/support/libraries.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { MOST_TAGS } from '../../contract/mine.ts';
import type { RuleActions } from '../../contract/rules.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { Worker } from '../../platform/jobs/worker.ts';
import { emitMediaEvents } from '../media/events.ts';
import { buildSearchRows } from '../media/search/search-rows.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const PATH = '/api/v1/rules';

let worker: Worker;
let ana: Reader;
let ben: Reader;
beforeAll(async () => {
  [ana, ben] = [await createReader(app), await createReader(app)];
  worker = await app.engine.work({ concurrency: 2, pollSeconds: 0.05, graceSeconds: 5 });
});
afterAll(async () => {
  await worker.stop();
  expect(await auditOf(sql)).toEqual([]);
});

async function createRule(reader: Reader, query: string, actions: RuleActions, name = 'Rule') {
  const { status, body } = await reader.post(PATH, { name, query, actions });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id as string;
}

const mineOf = async (reader: Reader, mediaId: string) =>
  (await reader.get(`/media/${mediaId}/mine`)).body.data;

/** Makes a media ready for search, as its last job does. */
async function makeReady(mediaId: string) {
  await transaction(sql, async (tx) => {
    await tx`update media set processing_status = 'ready' where id = ${mediaId}`;
    await buildSearchRows(tx, mediaId);
    const payload = { media_id: mediaId, kind: 'web_article', processing_status: 'ready' } as const;
    await emitMediaEvents(tx, 'media.status_changed', [payload]);
  });
  await untilIdle(sql);
}

/** Delivers all events a second time, as after a crash. */
async function deliverAgain() {
  await transaction(sql, async (tx) => {
    await tx`delete from outbox_delivery where subscriber = 'rules'`;
    await tx`
      update outbox_event
      set status = 'pending', attempts = 0, interruptions = 0, next_attempt_at = now(), delivered_at = null`;
  });
  await untilIdle(sql);
}

describe('a rule', () => {
  test('is created, edited and deleted by its owner; for others it does not exist', async () => {
    const actions = { tags: ['seas'], notify: false };
    const created = await ana.post(PATH, { name: ' Seas ', query: 'sea', actions });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    expect(created.body.data).toMatchObject({ name: 'Seas', query: 'sea', actions, is_enabled: true });
    const one = `${PATH}/${created.body.data.id}`;
    expect(created.headers.get('location')).toBe(one);
    for (const refused of [
      await ben.get(one),
      await ben.patch(one, { name: 'x' }),
      await ben.post(`${one}/run`, {}),
      await ben.delete(one),
    ])
      expect(refused).toMatchObject(failure(404, 'E_NOT_FOUND'));
    expect((await ben.get(PATH)).body.data).toEqual([]);

    const tag = (await ana.get(one)).headers.get('etag') ?? '';
    const edit = (body: object) =>
      app.call('PATCH', one, { key: ana.key, body, headers: { 'if-match': tag } });
    expect((await edit({ is_enabled: false })).body.data).toMatchObject({ name: 'Seas', is_enabled: false });
    expect(await edit({ is_enabled: true })).toMatchObject(failure(412, 'E_PRECONDITION_FAILED'));
    expect((await ana.get(PATH)).body.data).toHaveLength(1);
    expect((await ana.delete(one)).status).toBe(204);
    expect(await ana.get(one)).toMatchObject(failure(404, 'E_NOT_FOUND'));
  });

  test('with a mistake is refused', async () => {
    const refused = await ana.post(PATH, { name: 'n', query: 'sea foo:bar', actions: { archive: true } });
    expect(refused).toMatchObject(failure(400, 'E_INVALID_QUERY'));
    expect(refused.body.error.details).toEqual({ position: 4 });
    for (const actions of [{}, { tags: [] }, { archive: false }, { tags: ['a,b'] }, { send: true }, null])
      expect(await ana.post(PATH, { name: 'n', query: 'sea', actions })).toMatchObject(
        failure(400, 'E_INVALID_REQUEST'),
      );
    const id = await createRule(ana, 'sea', { archive: true });
    expect(await ana.patch(`${PATH}/${id}`, { query: '(' })).toMatchObject(failure(400, 'E_INVALID_QUERY'));
    await ana.delete(`${PATH}/${id}`);
  });

  test('does not add to a library that its owner may not add to', async () => {
    const library = await createLibrary(ben);
    const rule = (library_id: string) => ({ name: 'n', query: 'sea', actions: { library_id } });
    expect(await ana.post(PATH, rule(library))).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    await join(ben, library, ana);
    expect(await ana.post(PATH, rule(library))).toMatchObject(failure(403, 'E_FORBIDDEN'));
    expect(await ana.post(PATH, rule(ana.defaultLibraryId))).toMatchObject(
      failure(403, 'E_DEFAULT_LIBRARY_FORBIDDEN'),
    );
    const id = await createRule(ana, 'sea', { archive: true });
    expect(await ana.patch(`${PATH}/${id}`, { actions: { library_id: library } })).toMatchObject(
      failure(403, 'E_FORBIDDEN'),
    );
    await ana.delete(`${PATH}/${id}`);
  });

  test('is one of at most 100, also when several are created at once', async () => {
    const reader = await createReader(app);
    await sql`
      insert into rules (id, user_id, name, query, actions)
      select gen_random_uuid(), ${reader.id}, 'n', 'sea', '{"archive": true}' from generate_series(1, 99)`;
    const create = () => reader.post(PATH, { name: 'n', query: 'sea', actions: { archive: true } });
    const statuses = (await Promise.all([create(), create(), create()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409]);
  });
});

describe('what is saved', () => {
  test('gets the actions of each rule that matches, and says why it is tagged', async () => {
    const [owner, friend] = [await createReader(app), await createReader(app)];
    const library = await createLibrary(owner);
    await join(owner, library, friend);
    const actions = {
      tags: ['Oceans/Tides'],
      library_id: library,
      archive: true,
      favourite: true,
      notify: true,
    };
    const ruleId = await createRule(owner, 'lighthouse', actions, 'Lights');
    await createRule(friend, 'lighthouse', { tags: ['not mine'] });
    const [found, other] = [
      await saveReady(sql, owner, { title: 'One', texts: ['A lighthouse in the fog.'] }),
      await saveReady(sql, owner, { title: 'Two', texts: ['Two lighthouses.'] }),
    ];
    await untilIdle(sql);
    expect(await mineOf(owner, found)).toMatchObject({
      tags: ['Oceans/Tides'],
      is_archived: true,
      is_favourite: true,
    });
    expect(await mineOf(owner, other)).toMatchObject({ tags: [], is_archived: false, is_favourite: false });
    expect((await friend.get(`/libraries/${library}/media`)).body.data).toMatchObject([{ id: found }]);
    // It came to the friend through the library: they have not saved it.
    expect(await mineOf(friend, found)).toMatchObject({ tags: [] });

    const why = async (reader: Reader) => (await reader.get(`/media/${found}/tags`)).body;
    expect((await why(owner)).data).toMatchObject([
      { name: 'Oceans/Tides', added_by: 'rule', rule: { id: ruleId, name: 'Lights' } },
    ]);
    expect((await why(friend)).data).toEqual([]);
    expect(await ana.get(`/media/${found}/tags`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    const events = async (reader: Reader) =>
      (await reader.get('/api/v1/events?types=rule.matched')).body.data.map(
        ({ data }: { data: object }) => data,
      );
    // The feed shows an event once all older transactions of the server have ended.
    await expect
      .poll(() => events(owner), { timeout: 20_000 })
      .toEqual([{ rule_id: ruleId, media_id: found, user_id: owner.id, is_private: true }]);
    expect(await events(friend)).toEqual([]);

    const notified = async (reader: Reader) => (await reader.get(`${PATH}/notifications`)).body.data;
    expect(await notified(friend)).toEqual([]);
    const [told, ...more] = await notified(owner);
    expect(more).toEqual([]);
    const notification = { rule_id: ruleId, rule_name: 'Lights', media_id: found, title: 'One' };
    expect(told).toMatchObject({ ...notification, seen_at: null });
    const markSeen = async ({ key }: Reader) =>
      app.call('PUT', `${PATH}/notifications/seen`, { key, body: { through_id: told.id } });
    expect((await markSeen(friend)).status).toBe(204);
    expect((await notified(owner))[0].seen_at).toBeNull();
    expect((await markSeen(owner)).status).toBe(204);
    const [{ seen_at }] = await notified(owner);
    expect(seen_at).not.toBeNull();
    expect((await markSeen(owner)).status).toBe(204);
    expect((await notified(owner))[0].seen_at).toBe(seen_at);
    await owner.delete(`${PATH}/${ruleId}`);
    expect((await why(owner)).data).toMatchObject([{ added_by: 'rule', rule: null }]);
    expect(await notified(owner)).toEqual([]);
  });

  test('waits until it can be searched, and gets the actions once', async () => {
    const reader = await createReader(app);
    await createRule(reader, 'article', { tags: ['read'] });
    const id = await saveMedia(sql, reader);
    await untilIdle(sql);
    expect((await mineOf(reader, id)).tags).toEqual([]);
    await makeReady(id);
    expect((await mineOf(reader, id)).tags).toEqual(['read']);

    await reader.patch(`/media/${id}/mine`, { tags: [] });
    await makeReady(id);
    expect(await sql`select from rules_pending where media_id = ${id}`).toHaveLength(0);
    await deliverAgain();
    expect((await mineOf(reader, id)).tags).toEqual([]);

    // Saving it again is another save.
    await reader.delete(`/libraries/${reader.defaultLibraryId}/media/${id}`);
    await reader.post('/media/bulk', { action: 'restore', media_ids: [id] });
    await untilIdle(sql);
    expect((await mineOf(reader, id)).tags).toEqual(['read']);
  });

  test('gets nothing from a disabled rule, nor from a rule that asks for what another has just added', async () => {
    const reader = await createReader(app);
    await createRule(reader, 'kind:web_article', { tags: ['first'] });
    await createRule(reader, 'tag:first', { tags: ['second'] });
    const disabled = await createRule(reader, 'kind:web_article', { tags: ['third'] });
    await reader.patch(`${PATH}/${disabled}`, { is_enabled: false });
    const id = await saveReady(sql, reader);
    await untilIdle(sql);
    expect((await mineOf(reader, id)).tags).toEqual(['first']);
  });

  test('gets the actions of a rule with the longest query, whose last word is a whole word', async () => {
    const reader = await createReader(app);
    const longest = (end: string) => `"${'x'.repeat(994 - end.length)}" or ${end}`;
    expect(longest('beacon')).toHaveLength(1000);
    await createRule(reader, longest('beacon'), { tags: ['long'] });
    await createRule(reader, longest('beac'), { tags: ['beginning'] });
    const id = await saveReady(sql, reader, { texts: ['A beacon.'] });
    await untilIdle(sql);
    expect((await mineOf(reader, id)).tags).toEqual(['long']);
  });

  test('gets the actions of the other rules if one is refused, and nothing of that one', async () => {
    const reader = await createReader(app);
    await createRule(reader, 'kind:web_article', { tags: ['known'] });
    await createRule(reader, 'kind:web_article', { tags: ['one too many'], archive: true, notify: true });
    const broken = await createRule(reader, 'kind:web_article', { archive: true });
    await createRule(reader, 'kind:web_article', { favourite: true });
    // A query that an earlier release accepted.
    await sql`update rules set query = 'color:blue' where id = ${broken}`;
    await sql`
      insert into tags (id, user_id, name)
      select gen_random_uuid(), ${reader.id}, case number when 1 then 'known' else 'tag ' || number end
      from generate_series(1, ${MOST_TAGS}::int) as number`;
    const id = await saveReady(sql, reader);
    await untilIdle(sql);
    expect(await mineOf(reader, id)).toMatchObject({
      tags: ['known'],
      is_archived: false,
      is_favourite: true,
    });
    expect((await reader.get(`${PATH}/notifications`)).body.data).toEqual([]);
  });

  test('is not added to a library whose right is lost while the rule is applied', async () => {
    const [owner, reader] = [await createReader(app), await createReader(app)];
    const library = await createLibrary(owner);
    await join(owner, library, reader, 'contributor');
    await createRule(reader, 'kind:web_article', { tags: ['kept'], library_id: library });
    // The backfill of the new member needs the same lock.
    await untilIdle(sql);

    // An admin takes the role away: their transaction has the lock when the rule is applied, and commits first.
    const admin = await sql.connect();
    await admin.query('begin');
    const { rows } = await admin.query('select pg_backend_pid() as pid');
    await admin.query('select from libraries where id = $1 for no key update', [library]);
    await admin.query(`update memberships set role = 'member' where library_id = $1 and user_id = $2`, [
      library,
      reader.id,
    ]);
    const id = await saveReady(sql, reader);
    await expect
      .poll(
        () => sql`
          select from pg_stat_activity
          where datname = current_database() and ${rows[0].pid} = any(pg_blocking_pids(pid))`,
        { timeout: 20_000 },
      )
      .toHaveLength(1);
    await admin.query('commit');
    admin.release();
    await untilIdle(sql);
    expect((await mineOf(reader, id)).tags).toEqual(['kept']);
    expect((await owner.get(`/libraries/${library}/media`)).body.data).toEqual([]);
  });
});
