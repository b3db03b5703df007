import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createPerson, failure, useApp } from '../../../test/app.ts';
import { useDatabase } from '../../../test/database.ts';
import { saveDocument } from '../../../test/documents.ts';
import { createLibrary, createReader, join, type Reader } from '../../../test/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/races.ts';
import type { Edit } from '../../contract/branches.ts';
import { createBranches } from './branches.ts';
import { applyEdit, countCodePoints, textHash } from './edit.ts';
import { SNAPSHOT_EVERY } from './text.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_RAW_MODE_ENABLED: 'true' });
const HTML = '<p>Once upon a time</p><p>there was a café 😀</p>';
const TEXT = 'Once upon a time\nthere was a café 😀';

let reader: Reader;
let document: string;

beforeAll(async () => {
  reader = await createReader(app);
  document = await saveDocument(sql, reader, { html: HTML });
});

async function fork(body: object = { document_id: document }, by = reader) {
  const answer = await by.post('/api/v1/branches', body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body as { branch_id: string; event_count: number; text_hash: string };
}

const append = (branchId: string, after: number, events: unknown[], by = reader) =>
  by.post(`/api/v1/branches/${branchId}/events`, { after, events });

const textOf = async (branchId: string, position?: number, by = reader) =>
  (await by.get(`/api/v1/branches/${branchId}/text${position === undefined ? '' : `?position=${position}`}`))
    .body;

async function replay(branchId: string, by = reader) {
  const submitted = await by.post('/api/v1/jobs/submit', {
    job_type: 'branch_replay',
    payload: { branch_id: branchId },
    execution_mode: 'sync',
  });
  return (await by.get(`/api/v1/jobs/${submitted.body.job_id}`)).body;
}

const insert = (at: number, text: string): Edit => ({ kind: 'insert', at, text });

describe('a branch', () => {
  test('begins with the text of its document, and grows by events that can be read at any point', async () => {
    const branch = await fork({ document_id: document, name: 'Mine' });
    expect(branch).toMatchObject({
      document_id: document,
      name: 'Mine',
      parent_branch_id: null,
      event_count: 0,
      text_hash: textHash(TEXT),
      text_length: countCodePoints(TEXT),
      created_by: reader.user.username,
    });
    const edits: Edit[] = [
      insert(4, ', long ago,'),
      { kind: 'delete', at: 0, length: 1 },
      { kind: 'replace', at: 0, length: 3, text: 'Not once' },
      { kind: 'normalize', form: 'NFD' },
    ];
    expect(await append(branch.branch_id, 0, edits.slice(0, 1))).toMatchObject({
      status: 201,
      body: { event_count: 1 },
    });
    expect(await append(branch.branch_id, 1, edits.slice(1))).toMatchObject({
      status: 201,
      body: { event_count: 4 },
    });
    let text = TEXT;
    expect((await textOf(branch.branch_id, 0)).text).toBe(text);
    for (const [index, edit] of edits.entries()) {
      text = applyEdit(text, edit);
      expect(await textOf(branch.branch_id, index + 1)).toEqual({
        branch_id: branch.branch_id,
        position: index + 1,
        text,
        text_hash: textHash(text),
        text_length: countCodePoints(text),
      });
    }
    expect((await textOf(branch.branch_id)).text).toBe(text);
    const events = `/api/v1/branches/${branch.branch_id}/events`;
    const first = await reader.get(`${events}?limit=1`);
    expect(first.body).toMatchObject({
      page: { has_more: true },
      events: [{ position: 1, kind: 'insert', at: 4, text: ', long ago,' }],
    });
    const { body } = await reader.get(`${events}?limit=2&cursor=${first.body.page.next_cursor}`);
    expect(body).toMatchObject({
      page: { has_more: true },
      events: [
        { position: 2, kind: 'delete', at: 0, length: 1, text: null },
        { position: 3, kind: 'replace', text: 'Not once', created_by: reader.user.username },
      ],
    });
  });

  test('is forked from another at a point, and is its own from there on', async () => {
    const { branch_id } = await fork();
    await append(branch_id, 0, [insert(0, 'one '), insert(0, 'two ')]);
    const child = await fork({ branch_id, position: 1, name: 'Child' });
    expect(child).toMatchObject({ parent_branch_id: branch_id, parent_position: 1, document_id: document });
    await append(branch_id, 2, [insert(0, 'three ')]);
    expect((await textOf(child.branch_id)).text).toBe(`one ${TEXT}`);
    expect(await fork({ branch_id })).toMatchObject({ parent_position: 3 });
    const { body } = await reader.get(
      `/api/v1/branches/${child.branch_id}/compare?with_branch_id=${branch_id}&to=3`,
    );
    expect(body).toMatchObject({
      is_equal: false,
      lines_removed: 1,
      lines_added: 1,
      from: { branch_id: child.branch_id, position: 0 },
      to: { branch_id, position: 3 },
    });
    expect(body.changes[0].parts[0]).toEqual({ kind: 'added', text: 'three two ' });
    const page = await reader.get(`/api/v1/branches?document_id=${document}&limit=1`);
    expect(page.body).toMatchObject({ branches: [{ parent_position: 3 }], page: { has_more: true } });
    const next = await reader.get(
      `/api/v1/branches?document_id=${document}&limit=1&cursor=${page.body.page.next_cursor}`,
    );
    expect(next.body.branches).toMatchObject([{ name: 'Child' }]);
  });

  test('has no event that its text has no room for', async () => {
    const { branch_id } = await fork();
    expect(await append(branch_id, 0, [insert(0, 'x'), insert(1000, 'y')])).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('events.1: it reaches to 1000') } },
    });
    expect(await textOf(branch_id)).toMatchObject({ position: 0, text: TEXT });
  });

  test.each<[string, unknown]>([
    ['no event', { after: 0, events: [] }],
    ['too many events', { after: 0, events: Array.from({ length: 101 }, () => insert(0, 'x')) }],
    ['an unknown kind', { after: 0, events: [{ kind: 'shuffle' }] }],
    ['a negative offset', { after: 0, events: [insert(-1, 'x')] }],
    ['a field of another kind', { after: 0, events: [{ kind: 'delete', at: 0, length: 1, text: 'x' }] }],
    ['NUL', { after: 0, events: [insert(0, '\0')] }],
    ['half a character', { after: 0, events: [insert(0, '\ud83d')] }],
    ['no position', { events: [insert(0, 'x')] }],
  ])('refuses %s', async (_what, body) => {
    const { branch_id } = await fork();
    expect(await reader.post(`/api/v1/branches/${branch_id}/events`, body)).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });

  test.each<[string, object, number, string]>([
    ['neither', {}, 400, 'E_INVALID_REQUEST'],
    ['a point that is not there', { position: 7 }, 400, 'E_INVALID_REQUEST'],
    [
      'a document that is not there',
      { document_id: '0195ad1e-0000-7000-8000-000000000000' },
      404,
      'E_MEDIA_NOT_FOUND',
    ],
    [
      'a branch that is not there',
      { branch_id: '0195ad1e-0000-7000-8000-000000000000' },
      404,
      'E_BRANCH_NOT_FOUND',
    ],
  ])('is not forked from %s', async (_what, body, status, code) => {
    expect(await reader.post('/api/v1/branches', body)).toMatchObject(failure(status, code as 'E_NOT_FOUND'));
  });

  test('is not forked from what cannot be read yet', async () => {
    const { body } = await reader.post('/media/from_url', { url: 'https://example.org/later' });
    expect(await reader.post('/api/v1/branches', { document_id: body.data.media_id })).toMatchObject(
      failure(409, 'E_INVALID_STATE'),
    );
  });
});

describe('of two who append at once', () => {
  test('over HTTP, one wins, and the other learns where the branch is', async () => {
    const { branch_id } = await fork();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => append(branch_id, 0, [insert(0, `${n} `)])),
    );
    const winners = answers.filter(({ status }) => status === 201);
    expect(winners).toHaveLength(1);
    const head = { position: 1, text_hash: winners[0]?.body.text_hash };
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject(failure(409, 'E_BRANCH_MOVED'));
      expect(answer.body.error.details).toEqual({ head });
    }
    expect(await textOf(branch_id)).toMatchObject(head);
    expect(await replay(branch_id)).toMatchObject({ status: 'succeeded' });
  });

  test('on two connections, the second waits for the first and then finds it', async () => {
    const { branch_id } = await fork();
    const [first, second] = database.twoConnections();
    const principal = { ...reader.apiKey, owner: '', api_key_id: '', allowed_modes: [], ...viewerOf(reader) };
    const service = (on: typeof sql) => createBranches({ sql: on, requireMode: async () => {} });
    const held = holdBeforeCommit(first);
    const winning = service(held.sql).append(principal as never, branch_id, 0, [insert(0, 'first ')]);
    await held.reached;
    const losing = service(second).append(principal as never, branch_id, 0, [insert(0, 'second ')]);
    losing.catch(() => {});
    expect(await blockedOrDone(sql, losing)).toBe('blocked');
    held.letGo();
    const { text_hash } = await winning;
    await expect(losing).rejects.toMatchObject({
      code: 'E_BRANCH_MOVED',
      details: { head: { position: 1, text_hash } },
    });
    expect((await textOf(branch_id)).text).toBe(`first ${TEXT}`);
  });
});

const viewerOf = ({ id, defaultLibraryId }: Reader) => ({
  user_id: id,
  default_library_id: defaultLibraryId,
});

describe('who sees a branch', () => {
  test('its maker, and who shares the document with them; nobody else, and nobody any more', async () => {
    const [owner, member, stranger] = [
      await createReader(app),
      await createReader(app),
      await createReader(app),
    ];
    const shared = await saveDocument(sql, owner, { html: HTML });
    const library = await createLibrary(owner);
    await owner.post(`/libraries/${library}/media`, { media_id: shared });
    await join(owner, library, member);
    const { branch_id } = await fork({ document_id: shared }, member);
    // The stranger has saved the same page, and still has no part in what others make of it.
    await sql`insert into default_library_intrinsics (default_library_id, media_id) values (${stranger.defaultLibraryId}, ${shared})`;
    const paths = ['', '/text', '/events', '/compare?from=0'].map(
      (path) => `/api/v1/branches/${branch_id}${path}`,
    );
    const sees = async (by: Reader) => {
      const statuses = await Promise.all(paths.map(async (path) => (await by.get(path)).status));
      const wrote = await append(branch_id, 99, [insert(0, 'x')], by);
      const forked = await by.post('/api/v1/branches', { branch_id });
      const { body } = await by.get(`/api/v1/branches?document_id=${shared}`);
      return [...statuses, wrote.status, forked.status, body.branches.length > 0];
    };
    const everything = [200, 200, 200, 200, 409, 201, true];
    const nothing = [404, 404, 404, 404, 404, 404, false];
    expect(await sees(member)).toEqual(everything);
    expect(await sees(owner)).toEqual(everything);
    expect(await sees(stranger)).toEqual(nothing);
    expect(await replay(branch_id, stranger)).toMatchObject({
      status: 'failed',
      error_code: 'E_BRANCH_NOT_FOUND',
    });
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    expect(await sees(member)).toEqual(nothing);
    expect((await owner.get(paths[0] as string)).status).toBe(404);
  });

  test('viewers read and do not write', async () => {
    const { key } = await createPerson(app, { role: 'viewer' });
    const answer = await app.call('POST', '/api/v1/branches', { key, body: { document_id: document } });
    expect(answer).toMatchObject(failure(403, 'E_FORBIDDEN'));
  });

  test('RAW mode needs its three conditions, and PUBLIC mode shows what the policy leaves', async () => {
    const { branch_id } = await fork();
    await append(branch_id, 0, [insert(0, 'a secret ')]);
    for (const path of ['text', 'events', 'compare']) {
      const answer = await reader.get(`/api/v1/branches/${branch_id}/${path}?mode=RAW`);
      expect(answer).toMatchObject(failure(403, 'E_MODE_FORBIDDEN'));
    }
    const governed = createBranches({
      sql,
      requireMode: async () => {},
      redact: async (text, mode) => (mode === 'RAW' ? text : text.replaceAll('secret', '██████')),
    });
    const principal = viewerOf(reader) as never;
    const [actor, mode] = [{ name: 'test' }, 'PUBLIC' as const];
    const seen = [
      await governed.text(principal, branch_id, { mode }, actor),
      await governed.events(principal, branch_id, { mode, limit: 10 }, actor),
      await governed.compare(principal, branch_id, { mode, from: 0 }, actor),
    ];
    expect(JSON.stringify(seen)).not.toContain('secret');
    expect(JSON.stringify(seen)).toContain('██████');
    expect((await governed.text(principal, branch_id, { mode: 'RAW' }, actor)).text).toContain('secret');
  });
});

describe('a replay', () => {
  test('does it all again and says what came of it', async () => {
    const { branch_id } = await fork();
    const { body } = await append(branch_id, 0, [insert(0, 'x'), { kind: 'normalize', form: 'NFKD' }]);
    const result = { branch_id, text_hash: body.text_hash, event_count: 2 };
    expect(await replay(branch_id)).toMatchObject({
      status: 'succeeded',
      result,
      artifacts: [{ artifact_type: 'branch_replay_result', artifact_payload: result }],
    });
  });

  test('of a long branch uses its snapshots for reading, and checks each of them', async () => {
    const { branch_id } = await fork();
    const count = 2 * SNAPSHOT_EVERY + 10;
    for (let after = 0; after < count; after += 50) {
      const events = Array.from({ length: Math.min(50, count - after) }, (_, n) =>
        insert(0, `${after + n} `),
      );
      expect((await append(branch_id, after, events)).status).toBe(201);
    }
    const snapshots =
      await sql`select position from branch_snapshots where branch_id = ${branch_id} order by position`;
    expect(snapshots.map(({ position }) => position)).toEqual([0, SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY]);
    expect((await textOf(branch_id, SNAPSHOT_EVERY + 1)).text).toMatch(new RegExp(`^${SNAPSHOT_EVERY} `));
    expect((await textOf(branch_id, 2 * SNAPSHOT_EVERY)).text).toMatch(
      new RegExp(`^${2 * SNAPSHOT_EVERY - 1} `),
    );
    expect(await replay(branch_id)).toMatchObject({ status: 'succeeded', result: { event_count: count } });

    await sql`
      update branch_snapshots set text = text || '!'
      where branch_id = ${branch_id} and position = ${SNAPSHOT_EVERY}`;
    expect(
      await reader.get(`/api/v1/branches/${branch_id}/text?position=${SNAPSHOT_EVERY + 1}`),
    ).toMatchObject(failure(409, 'E_BRANCH_DAMAGED'));
    expect((await replay(branch_id)).error_text).toContain(
      `the text kept after event ${SNAPSHOT_EVERY} was altered`,
    );
    await sql`delete from branch_snapshots where branch_id = ${branch_id} and position = ${SNAPSHOT_EVERY}`;
    expect((await replay(branch_id)).error_text).toContain(`after event ${SNAPSHOT_EVERY} is missing`);
    // An altered event is told apart from what comes after a snapshot that holds.
    await sql`update branch_events set text = 'X ' where branch_id = ${branch_id} and position in (70, 135)`;
    const { error_text } = await replay(branch_id);
    expect(error_text).toContain('event 70 was altered');
    expect(error_text).toContain('event 135 was altered');
    expect(error_text).not.toContain('event 71');
  });

  const alter = {
    event: (id: string) =>
      sql`update branch_events set text = 'TWO' where branch_id = ${id} and position = 2`,
    'event out of range': (id: string) =>
      sql`update branch_events set at = 5000 where branch_id = ${id} and position = 2`,
    hash: (id: string) =>
      sql`update branch_events set text_hash = 'feed' where branch_id = ${id} and position = 2`,
    'last hash': (id: string) =>
      sql`update branch_events set text_hash = 'feed' where branch_id = ${id} and position = 3`,
    'last event': (id: string) =>
      sql`update branch_events set text = 'tres' where branch_id = ${id} and position = 3`,
    base: (id: string) => sql`update branch_snapshots set text = 'Twice' where branch_id = ${id}`,
    'missing event': (id: string) => sql`delete from branch_events where branch_id = ${id} and position = 2`,
    'missing last event': (id: string) =>
      sql`delete from branch_events where branch_id = ${id} and position = 3`,
    head: (id: string) => sql`update branches set text_hash = 'feed' where id = ${id}`,
  };
  test.each<[keyof typeof alter, RegExp]>([
    ['event', /: event 2 was altered: it recorded [0-9a-f]{64}, and leads to [0-9a-f]{64}\.$/],
    ['event out of range', /: event 2 was altered: .* it reaches to 5000/],
    ['hash', /: the hash of event 2 was altered: it says feed, and the text has [0-9a-f]{64}\.$/],
    ['last hash', /: the hash of event 3 was altered: it says feed/],
    ['last event', /: event 3 was altered/],
    ['base', /: the text that was forked has the hash/],
    ['missing event', /: event 2 is missing\.$/],
    ['missing last event', /: event 3 is missing\.$/],
    ['head', /: the branch says that it ends with feed/],
  ])('finds an altered %s and names it', async (what, sentence) => {
    const { branch_id } = await fork();
    await append(branch_id, 0, [insert(0, 'one '), insert(0, 'two '), insert(0, 'three ')]);
    await alter[what](branch_id);
    if (what !== 'head') {
      const { status } = await reader.get(`/api/v1/branches/${branch_id}/text`);
      expect(status).toBe(what === 'hash' ? 200 : 409);
    }
    const job = await replay(branch_id);
    expect(job).toMatchObject({ status: 'failed', error_code: 'E_BRANCH_DAMAGED' });
    expect(job.error_text).toMatch(sentence);
  });

  test('finds a document that is not what was forked', async () => {
    const altered = await saveDocument(sql, reader, { html: HTML });
    const { branch_id } = await fork({ document_id: altered });
    await sql`update media set plain_text = 'another' where id = ${altered}`;
    expect((await replay(branch_id)).error_text).toContain('what it was forked from has the hash');
  });

  test('of whatever was done gives what a list of characters gives', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
    const step = fc.record({
      kind: fc.constantFrom('insert', 'delete', 'replace', 'normalize'),
      at: fc.nat(),
      length: fc.nat(),
      text,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 20 }), { maxLength: 6 }),
        async (batches) => {
          const { branch_id } = await fork();
          const states = [TEXT];
          for (const batch of batches) {
            const after = states.length - 1;
            const events = batch.map((wanted): Edit => {
              const before = [...(states.at(-1) ?? '')];
              const at = wanted.at % (before.length + 1);
              const length = Math.min(1 + (wanted.length % 10), before.length - at);
              const isAll = wanted.kind === 'normalize' || (wanted.kind !== 'insert' && length === 0);
              if (isAll) {
                states.push(before.join('').normalize('NFD'));
                return { kind: 'normalize', form: 'NFD' };
              }
              const removed = wanted.kind === 'insert' ? 0 : length;
              before.splice(at, removed, ...(wanted.kind === 'delete' ? [] : wanted.text));
              states.push(before.join(''));
              if (wanted.kind === 'insert') return { kind: 'insert', at, text: wanted.text };
              if (wanted.kind === 'delete') return { kind: 'delete', at, length };
              return { kind: 'replace', at, length, text: wanted.text };
            });
            expect((await append(branch_id, after, events)).status).toBe(201);
          }
          const last = states.length - 1;
          expect(await replay(branch_id)).toMatchObject({
            result: { text_hash: textHash(states[last] ?? ''), event_count: last },
          });
          const middle = Math.floor(last / 2);
          expect((await textOf(branch_id, middle)).text).toBe(states[middle]);
          const { body } = await reader.get(`/api/v1/branches/${branch_id}/compare?from=${middle}`);
          expect(body.is_equal).toBe(states[middle] === states[last]);
        },
      ),
      { numRuns: 15 },
    );
  });
});
