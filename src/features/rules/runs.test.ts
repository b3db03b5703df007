import { beforeAll, describe, expect, test, vi } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { readJob } from '../../../test/support/jobs.ts';
import { auditOf, createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { startNexus } from '../../../test/support/nexus-process.ts';
import { holdBeforeCommit, statementBlocked } from '../../../test/support/races.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import type { RuleActions } from '../../contract/rules.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { idAt, newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/submit/enqueue.ts';
import { replaceByKnown } from '../media/saving/unite-media.ts';
import { moveRuleHistory } from './on-replace.ts';
import { periodicRunRetention } from './retention.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let ana: Reader;
let ben: Reader;
beforeAll(async () => {
  [ana, ben] = [await createReader(app), await createReader(app)];
});

/** Creates a rule that is applied by runs only. */
async function createRule(reader: Reader, query: string, actions: RuleActions): Promise<string> {
  const rule = { name: 'Rule', query, actions, is_enabled: false };
  const { status, body } = await reader.post('/api/v1/rules', rule);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}

async function start(reader: Reader, ruleId: string, dry_run = false): Promise<string> {
  const { status, body } = await reader.post(`/api/v1/rules/${ruleId}/run`, { dry_run });
  expect(status, JSON.stringify(body)).toBe(202);
  return body.data.id;
}

/** Works until no job of rules is left. */
async function work(): Promise<void> {
  const worker = await app.engine.work({
    queues: ['default'],
    concurrency: 1,
    pollSeconds: 0.05,
    graceSeconds: 5,
  });
  await vi.waitFor(async () => expect(await jobs()).toHaveLength(0), { timeout: 60_000, interval: 20 });
  await worker.stop();
}

const jobs = () => sql`
  select from job_queue join jobs on jobs.id = job_queue.job_id where job_type in ('run_rule', 'undo_rule_run')`;

const runOf = async (reader: Reader, id: string) => (await reader.get(`/api/v1/rules/runs/${id}`)).body.data;
const itemsOf = async (reader: Reader, id: string) =>
  (await reader.get(`/api/v1/rules/runs/${id}/items?limit=200`)).body.data;

async function run(reader: Reader, ruleId: string, dryRun = false) {
  const id = await start(reader, ruleId, dryRun);
  await work();
  return { ...(await runOf(reader, id)), items: await itemsOf(reader, id) };
}

async function undo(reader: Reader, runId: string) {
  const { status, body } = await reader.post(`/api/v1/rules/runs/${runId}/undo`);
  expect(status, JSON.stringify(body)).toBe(202);
  await work();
  return { ...(await runOf(reader, runId)), items: await itemsOf(reader, runId) };
}

const mineOf = async (reader: Reader, mediaId: string) => {
  const { tags, is_archived, is_favourite } = (await reader.get(`/media/${mediaId}/mine`)).body.data;
  return { tags, is_archived, is_favourite };
};
const UNTOUCHED = { tags: [], is_archived: false, is_favourite: false };

describe('a run', () => {
  test('of a rule with the longest query finds what matches', async () => {
    const reader = await createReader(app);
    const id = await saveReady(sql, reader, { texts: ['A beacon.'] });
    const query = `"${'x'.repeat(988)}" or beacon`;
    expect(query).toHaveLength(1000);
    const { status, items } = await run(reader, await createRule(reader, query, { archive: true }));
    expect([status, items]).toMatchObject(['succeeded', [{ media_id: id, is_archived: true }]]);
  });

  test('changes everything that matches, once; a dry run changes nothing and lists the same', async () => {
    const library_id = await createLibrary(ana);
    const ids = [
      await saveReady(sql, ana, { title: 'a', texts: ['the harbour'] }),
      await saveReady(sql, ana, { title: 'b', texts: ['the harbour'] }),
    ];
    const [first = '', second = ''] = ids;
    const other = await saveReady(sql, ana, { title: 'c', texts: ['the harbours'] });
    await ana.patch(`/media/${second}/mine`, { tags: ['Ports'], is_favourite: true });
    const actions = { tags: ['ports', 'sea'], library_id, archive: true, favourite: true };
    const rule = await createRule(ana, 'harbour', actions);

    const dry = await run(ana, rule, true);
    expect(dry).toMatchObject({ status: 'succeeded', is_dry_run: true, matched_count: 2, changed_count: 2 });
    const all = { is_added: true, is_archived: true, refused: [], undone_at: null, kept: null };
    const expected = [
      { media_id: first, title: 'a', tags: ['ports', 'sea'], is_favourite: true, ...all },
      { media_id: second, title: 'b', tags: ['sea'], is_favourite: false, ...all },
    ];
    expect(dry.items).toEqual(expected);
    expect(await mineOf(ana, first)).toEqual(UNTOUCHED);
    expect((await ana.get(`/libraries/${library_id}/media`)).body.data).toEqual([]);
    expect((await ana.get('/api/v1/tags')).body.data).toHaveLength(1);
    expect(await ana.post(`/api/v1/rules/runs/${dry.id}/undo`)).toMatchObject(
      failure(409, 'E_INVALID_STATE'),
    );

    const real = await run(ana, rule);
    expect(real).toMatchObject({ status: 'succeeded', matched_count: 2, changed_count: 2, refused_count: 0 });
    expect(real.items).toEqual([{ ...expected[0], tags: ['Ports', 'sea'] }, expected[1]]);
    for (const id of ids)
      expect(await mineOf(ana, id)).toEqual({
        tags: ['Ports', 'sea'],
        is_archived: true,
        is_favourite: true,
      });
    expect(await mineOf(ana, other)).toEqual(UNTOUCHED);

    const again = await run(ana, rule);
    expect(again).toMatchObject({ matched_count: 2, changed_count: 0 });
    expect((await undo(ana, again.id)).undone_count).toBe(0);
    expect((await mineOf(ana, first)).tags).toEqual(['Ports', 'sea']);

    const endings = await sql<{ payload: object }[]>`
      select payload from outbox_event where event_type = 'rule.run_ended' and payload ->> 'user_id' = ${ana.id} order by id`;
    const ended = { user_id: ana.id, status: 'succeeded', is_private: true };
    expect(endings.map(({ payload }) => payload)).toEqual([
      { ...ended, run_id: dry.id, is_undo: false },
      { ...ended, run_id: real.id, is_undo: false },
      { ...ended, run_id: again.id, is_undo: false },
      { ...ended, run_id: again.id, is_undo: true },
    ]);

    const idsOf = async (reader: Reader, query: string) => {
      const { body } = await reader.get(`/api/v1/rules/runs?${query}`);
      return { ids: body.data.map(({ id }: { id: string }) => id), next: body.page.next_cursor };
    };
    expect((await idsOf(ana, `rule_id=${rule}`)).ids).toEqual([again.id, real.id, dry.id]);
    const page = await idsOf(ana, `rule_id=${rule}&limit=2`);
    expect((await idsOf(ana, `rule_id=${rule}&limit=2&cursor=${page.next}`)).ids).toEqual([dry.id]);
    expect((await idsOf(ben, `rule_id=${rule}`)).ids).toEqual([]);
    await ana.delete(`/api/v1/rules/${rule}`);
    expect((await idsOf(ana, `rule_id=${rule}`)).ids).toEqual([]);
    expect((await idsOf(ana, 'limit=3')).ids).toEqual([again.id, real.id, dry.id]);
  });

  test('belongs to one person, and shows only what they may read now', async () => {
    const library = await createLibrary(ben);
    await join(ben, library, ana);
    const media = await saveReady(sql, ben, { title: 'A cormorant' });
    await ben.post('/media/bulk', { action: 'add', library_id: library, media_ids: [media] });
    const rule = await createRule(ana, 'cormorant', { tags: ['birds'] });
    const done = await run(ana, rule);
    expect(done.items).toMatchObject([{ media_id: media }]);
    for (const path of ['', '/items'])
      expect(await ben.get(`/api/v1/rules/runs/${done.id}${path}`)).toMatchObject(
        failure(404, 'E_NOT_FOUND'),
      );
    for (const path of ['/undo', '/cancel'])
      expect(await ben.post(`/api/v1/rules/runs/${done.id}${path}`)).toMatchObject(
        failure(404, 'E_NOT_FOUND'),
      );
    await ben.delete(`/libraries/${library}/members/${ana.id}`);
    expect(await itemsOf(ana, done.id)).toEqual([]);
    // The tag is Ana's own, so she may take it back.
    expect(await undo(ana, done.id)).toMatchObject({ undone_count: 1, kept_count: 0 });
    expect(await sql`select from media_tags where media_id = ${media}`).toHaveLength(0);
  });

  test('skips a library that the person may no longer add to, and says so', async () => {
    const library_id = await createLibrary(ben);
    await join(ben, library_id, ana, 'contributor');
    const media = await saveReady(sql, ana, { title: 'A puffin' });
    const rule = await createRule(ana, 'puffin', { tags: ['birds'], library_id });
    await ben.patch(`/libraries/${library_id}/members/${ana.id}`, { role: 'member' });
    const dry = await run(ana, rule, true);
    expect(dry.items).toMatchObject([{ tags: ['birds'], is_added: false, refused: ['library'] }]);
    const done = await run(ana, rule);
    expect(done).toMatchObject({ status: 'succeeded', changed_count: 1, refused_count: 1 });
    expect(done.items).toMatchObject([
      { media_id: media, tags: ['birds'], is_added: false, refused: ['library'] },
    ]);
  });

  test('is the only one of its rule', async () => {
    const rule = await createRule(ana, 'nothing-like-this', { archive: true });
    const id = await start(ana, rule);
    expect(await ana.post(`/api/v1/rules/${rule}/run`, {})).toMatchObject(failure(409, 'E_INVALID_STATE'));
    expect(await ana.post(`/api/v1/rules/runs/${id}/undo`)).toMatchObject(failure(409, 'E_INVALID_STATE'));
    await ana.post(`/api/v1/rules/runs/${id}/cancel`);
    expect(await runOf(ana, id)).toMatchObject({ status: 'cancelled' });
    await start(ana, rule);
    await work();
  });
});

describe('undo', () => {
  test('takes back exactly what the run changed and nobody has changed since', async () => {
    const [owner, admin] = [await createReader(app), await createReader(app)];
    const library_id = await createLibrary(owner);
    await join(owner, library_id, admin, 'admin');
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await saveReady(sql, owner, { title: `A heron ${n}` }));
    const [plain, mine, retagged, rearchived, readded, noted] = ids as [
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    await owner.patch(`/media/${mine}/mine`, { tags: ['birds'], is_archived: true, is_favourite: true });
    const actions = { tags: ['birds', 'wading'], library_id, archive: true, favourite: true };
    const rule = await createRule(owner, 'heron', actions);
    const done = await run(owner, rule);
    expect(done).toMatchObject({ matched_count: 6, changed_count: 6 });

    const change = (mediaId: string, fields: object) => owner.patch(`/media/${mediaId}/mine`, fields);
    await change(retagged, { tags: ['wading'] });
    await change(retagged, { tags: ['wading', 'birds'] });
    await change(rearchived, { is_archived: false, is_favourite: false });
    await change(rearchived, { is_archived: true, is_favourite: true });
    await change(noted, { note: 'Seen at dawn.' });
    await admin.delete(`/libraries/${library_id}/media/${readded}`);
    await owner.post('/media/bulk', { action: 'add', library_id, media_ids: [readded] });
    await owner.delete(`/api/v1/rules/${rule}`);

    const undone = await undo(owner, done.id);
    expect(undone).toMatchObject({ undo_status: 'succeeded', undone_count: 6, kept_count: 3, rule_id: null });
    expect(await mineOf(owner, plain)).toEqual(UNTOUCHED);
    expect(await mineOf(owner, mine)).toEqual({ tags: ['birds'], is_archived: true, is_favourite: true });
    expect(await mineOf(owner, retagged)).toEqual({ ...UNTOUCHED, tags: ['birds'] });
    expect(await mineOf(owner, rearchived)).toEqual({ tags: [], is_archived: true, is_favourite: true });
    expect(await mineOf(owner, readded)).toEqual(UNTOUCHED);
    expect(await mineOf(owner, noted)).toEqual(UNTOUCHED);
    const kept = new Map(
      undone.items.map((item: { media_id: string; kept: string[] }) => [item.media_id, item.kept]),
    );
    expect(ids.map((id) => kept.get(id))).toEqual([
      [],
      [],
      ['tags'],
      ['archive', 'favourite'],
      ['library'],
      [],
    ]);
    expect((await admin.get(`/libraries/${library_id}/media`)).body.data).toMatchObject([{ id: readded }]);

    await change(plain, { tags: ['wading'], is_archived: true });
    const twice = await undo(owner, done.id);
    expect(twice).toMatchObject({ undo_job_id: undone.undo_job_id, undone_count: 6 });
    expect(await mineOf(owner, plain)).toEqual({ tags: ['wading'], is_archived: true, is_favourite: false });
    expect(await auditOf(sql)).toEqual([]);
  });
});

const merge = (loser: string, winner: string, on = sql) =>
  transaction(on, (tx) => replaceByKnown(tx, loser, winner, moveRuleHistory));

describe('a media that is merged into another', () => {
  test('takes its changes and its item along, so that undoing finds them', async () => {
    const reader = await createReader(app);
    const library_id = await createLibrary(reader);
    const loser = await saveReady(sql, reader, { title: 'A tern' });
    const winner = await saveReady(sql, reader, { title: 'The same' });
    const actions = { tags: ['birds'], library_id, archive: true, favourite: true };
    const done = await run(reader, await createRule(reader, 'tern', actions));
    await merge(loser, winner);
    expect(await mineOf(reader, winner)).toEqual({ tags: ['birds'], is_archived: true, is_favourite: true });
    expect(await itemsOf(reader, done.id)).toMatchObject([{ media_id: winner, tags: ['birds'] }]);
    const undone = await undo(reader, done.id);
    expect(undone).toMatchObject({ undo_status: 'succeeded', undone_count: 1, kept_count: 0 });
    expect(await mineOf(reader, winner)).toEqual(UNTOUCHED);
    expect((await reader.get(`/libraries/${library_id}/media`)).body.data).toEqual([]);
    expect(await auditOf(sql)).toEqual([]);
  });

  test('while the run is undone: the other one is undone, and counted once', async () => {
    const reader = await createReader(app);
    const [loser, winner] = [
      await saveReady(sql, reader, { title: 'A gannet' }),
      await saveReady(sql, reader),
    ];
    const done = await run(reader, await createRule(reader, 'gannet', { tags: ['birds'], archive: true }));
    const held = holdBeforeCommit(database.twoConnections()[0]);
    const merged = merge(loser, winner, held.sql);
    await held.reached;
    const undone = undo(reader, done.id);
    await statementBlocked(sql, 'pg_advisory_xact_lock_shared');
    held.letGo();
    await merged;
    expect(await undone).toMatchObject({ undone_count: 1, kept_count: 0 });
    expect(await mineOf(reader, winner)).toEqual(UNTOUCHED);
  });

  test('leaves the item of the other one as it is', async () => {
    const reader = await createReader(app);
    const [loser, winner] = [
      await saveReady(sql, reader, { title: 'A skua' }),
      await saveReady(sql, reader, { title: 'A skua' }),
    ];
    const done = await run(reader, await createRule(reader, 'skua', { tags: ['birds'], archive: true }));
    await merge(loser, winner);
    expect(await itemsOf(reader, done.id)).toMatchObject([{ media_id: winner }]);
    expect(await undo(reader, done.id)).toMatchObject({ undone_count: 1, kept_count: 0 });
    expect(await mineOf(reader, winner)).toEqual(UNTOUCHED);
  });

  test('takes its notifications along, one of each rule', async () => {
    const reader = await createReader(app);
    const [loser, winner] = [await saveReady(sql, reader), await saveReady(sql, reader)];
    const [both, one] = [
      await createRule(reader, 'x', { notify: true }),
      await createRule(reader, 'y', { notify: true }),
    ];
    const notify = (ruleId: string, mediaId: string) => sql`
      insert into rule_notifications (id, user_id, rule_id, media_id)
      values (${newId()}, ${reader.id}, ${ruleId}, ${mediaId})`;
    await notify(both, winner);
    await notify(both, loser);
    await notify(one, loser);
    await merge(loser, winner);
    expect((await reader.get('/api/v1/rules/notifications')).body.data).toMatchObject([
      { rule_id: one, media_id: winner },
      { rule_id: both, media_id: winner },
    ]);
  });
});

test('runs are deleted 90 days after their end, and notifications 90 days after they were made', async () => {
  const reader = await createReader(app);
  const mediaId = await saveReady(sql, reader);
  const ruleId = await createRule(reader, 'x', { notify: true });
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  const addRun = async (made: number, ended: number) => {
    const id = idAt(daysAgo(made));
    await sql`
      insert into rule_runs (
        id, user_id, rule_id, rule_name, query, actions, is_dry_run, status, job_id, finished_at
      )
      values (
        ${id}, ${reader.id}, ${ruleId}, 'Rule', 'x', '{}', false, 'succeeded', ${newId()}, ${daysAgo(ended)}
      )`;
    return id;
  };
  const addNotification = async (days: number) => {
    const id = idAt(daysAgo(days));
    await sql`
      insert into rule_notifications (id, user_id, rule_id, media_id, created_at)
      values (${id}, ${reader.id}, ${ruleId}, ${mediaId}, ${daysAgo(days)})`;
    return id;
  };
  // More than one batch.
  for (let n = 0; n < 12; n += 1) await addRun(100, 91);
  const kept = [await addRun(100, 89), await addRun(80, 80)];
  await addNotification(91);
  const keptNotification = await addNotification(89);

  const { type } = periodicRunRetention(sql);
  const { id: jobId } = await transaction(sql, (tx) => enqueue(tx, { type, payload: {} }));
  const maintenance = { queues: ['maintenance'], concurrency: 1, pollSeconds: 0.05, graceSeconds: 5 };
  await (await app.engine.work({ ...maintenance, untilEmpty: true })).stopped;
  expect((await readJob(sql, jobId)).result).toEqual({ deleted: 13 });
  const runs = await sql<{ id: string }[]>`
    select id from rule_runs where user_id = ${reader.id} order by id`;
  expect(runs.map(({ id }) => id)).toEqual(kept);
  expect([...(await sql`select id from rule_notifications where user_id = ${reader.id}`)]).toEqual([
    { id: keptNotification },
  ]);
});

/** Saves many ready media at once. */
async function saveMany(reader: Reader, title: string, count: number): Promise<void> {
  await sql`
    with saved as (
      insert into media (id, kind, title, created_by_user_id, processing_status)
      select gen_random_uuid(), 'web_article', ${title}, ${reader.id}, 'ready' from generate_series(1, ${count}::int)
      returning id
    ),
    listed as (
      insert into library_media (library_id, media_id, is_derived)
      select ${reader.defaultLibraryId}, id, true from saved
    )
    insert into default_library_intrinsics (default_library_id, media_id, ready_kind)
    select ${reader.defaultLibraryId}, id, 'web_article' from saved`;
}

/** Locks a media, so that a run stops before it. */
async function holdMedia(reader: Reader, title: string, place: number) {
  const holder = await sql.connect();
  await holder.query('begin');
  const { rows } = await holder.query('select pg_backend_pid() as pid');
  await holder.query(
    'select from media where id = (select id from media where title = $1 and created_by_user_id = $2 order by id offset $3 limit 1) for update',
    [title, reader.id, place],
  );
  return {
    reached: () =>
      vi.waitFor(async () => {
        const waiting = await sql`
          select from pg_stat_activity
          where datname = current_database() and ${rows[0].pid} = any(pg_blocking_pids(pid))`;
        expect(waiting).toHaveLength(1);
      }, 60_000),
    async letGo() {
      await holder.query('rollback');
      holder.release();
    },
  };
}

const taggedOf = async (reader: Reader) =>
  (await sql`select from media_tags where user_id = ${reader.id} and added_by = 'rule'`).length;

const startWorker = () =>
  startNexus(['worker', '--queues', 'default', '--concurrency', '1'], {
    env: {
      NEXUS_DATABASE_URL: database.url,
      NEXUS_WORKER_LEASE_SECONDS: '1',
      NEXUS_WORKER_POLL_SECONDS: '0.1',
    },
  });

describe('a thousand items', { timeout: 120_000 }, () => {
  test('cancelled in the middle: what was done is kept, and can be undone', async () => {
    const reader = await createReader(app);
    await saveMany(reader, 'limpet', 1000);
    const held = await holdMedia(reader, 'limpet', 450);
    const id = await start(reader, await createRule(reader, 'limpet', { tags: ['shells'] }));
    const worker = await app.engine.work({
      queues: ['default'],
      concurrency: 1,
      pollSeconds: 0.05,
      graceSeconds: 5,
    });
    await held.reached();
    expect((await reader.post(`/api/v1/rules/runs/${id}/cancel`)).body.data).toMatchObject({
      status: 'cancelled',
    });
    await held.letGo();
    await worker.stop();
    expect(await runOf(reader, id)).toMatchObject({ status: 'cancelled', matched_count: 400 });
    expect(await taggedOf(reader)).toBe(400);
    expect(await undo(reader, id)).toMatchObject({ undone_count: 400, kept_count: 0 });
    expect(await taggedOf(reader)).toBe(0);
  });

  test('one of them merged into another that the run has not reached: it is there once, and can be undone', async () => {
    const reader = await createReader(app);
    await saveMany(reader, 'mussel', 250);
    const ids = (await sql<{ id: string }[]>`select id from media where title = 'mussel' order by id`).map(
      ({ id }) => id,
    );
    const held = await holdMedia(reader, 'mussel', 150);
    const id = await start(reader, await createRule(reader, 'mussel', { tags: ['shells'] }));
    const worked = work();
    await held.reached();
    await merge(ids[0] as string, ids[220] as string);
    await held.letGo();
    await worked;
    expect(await runOf(reader, id)).toMatchObject({ status: 'succeeded', matched_count: 250 });
    expect(await taggedOf(reader)).toBe(249);
    expect(await undo(reader, id)).toMatchObject({ undone_count: 249, kept_count: 0 });
    expect(await taggedOf(reader)).toBe(0);
  });

  test('a worker killed in the middle: another continues after the last batch', {
    tags: 'slow',
  }, async () => {
    const reader = await createReader(app);
    await saveMany(reader, 'whelk', 1000);
    const held = await holdMedia(reader, 'whelk', 555);
    const id = await start(reader, await createRule(reader, 'whelk', { tags: ['shells'], notify: true }));
    const victim = startWorker();
    await held.reached();
    await victim.stop('SIGKILL');
    await held.letGo();
    expect(await taggedOf(reader)).toBe(500);
    expect(await runOf(reader, id)).toMatchObject({ status: 'running', matched_count: 500 });
    const heir = startWorker();
    await vi.waitFor(
      async () => {
        await sql`update job_queue set due_at = now() where lease_token is null`;
        expect(await runOf(reader, id)).toMatchObject({ status: 'succeeded' });
      },
      { timeout: 60_000, interval: 100 },
    );
    expect(await heir.stop()).toBe(0);
    const { job_id, ...counts } = await runOf(reader, id);
    expect(counts).toMatchObject({ matched_count: 1000, changed_count: 1000 });
    expect(await taggedOf(reader)).toBe(1000);
    expect(await sql`select from rule_run_items where run_id = ${id}`).toHaveLength(1000);
    const told = await sql`
      select from outbox_event where event_type = 'rule.matched' and payload ->> 'user_id' = ${reader.id}`;
    expect(told).toHaveLength(1000);
    // The run itself says what matched.
    expect(await sql`select from rule_notifications where user_id = ${reader.id}`).toHaveLength(0);
    const attempts = await sql<{ status: string }[]>`
      select status from job_attempts where job_id = ${job_id} order by attempt_number`;
    // On a busy machine, a worker may lose its lease of one second more than once.
    expect(attempts.map(({ status }) => status).join(' ')).toMatch(/^(interrupted )+succeeded$/);
  });
});
