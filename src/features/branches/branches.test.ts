import { beforeAll, describe, expect, test } from 'vitest';
import { createPerson, failure, useApp } from '../../../test/support/app.ts';
import { append, fork, HTML, insert, replay, TEXT, textOf } from '../../../test/support/branches.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import { blockedOrDone, holdBeforeCommit } from '../../../test/support/races.ts';
import type { Edit } from '../../contract/branches.ts';
import { createBranches } from './branches.ts';
import { applyEdit, countCodePoints, textHash } from './edit.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let reader: Reader;
let document: string;

beforeAll(async () => {
  reader = await createReader(app);
  document = await saveDocument(sql, reader, { html: HTML });
});

describe('a branch', () => {
  test('starts with the text of its document, and can be read after any event', async () => {
    const branch = await fork(reader, { media_id: document, name: 'Mine' });
    expect(branch).toMatchObject({
      media_id: document,
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
    expect(await append(reader, branch.id, 0, edits.slice(0, 1))).toMatchObject({
      status: 201,
      body: { data: { event_count: 1 } },
    });
    expect(await append(reader, branch.id, 1, edits.slice(1))).toMatchObject({
      status: 201,
      body: { data: { event_count: 4 } },
    });
    let text = TEXT;
    expect((await textOf(reader, branch.id, 0)).text).toBe(text);
    for (const [index, edit] of edits.entries()) {
      text = applyEdit(text, edit);
      expect(await textOf(reader, branch.id, index + 1)).toEqual({
        branch_id: branch.id,
        position: index + 1,
        text,
        text_hash: textHash(text),
        text_length: countCodePoints(text),
      });
    }
    expect((await textOf(reader, branch.id)).text).toBe(text);
    const events = `/api/v1/branches/${branch.id}/events`;
    const first = await reader.get(`${events}?limit=1`);
    expect(first.body).toMatchObject({
      page: { has_more: true },
      data: [{ position: 1, kind: 'insert', at: 4, text: ', long ago,' }],
    });
    const { body } = await reader.get(`${events}?limit=2&cursor=${first.body.page.next_cursor}`);
    expect(body).toMatchObject({
      page: { has_more: true },
      data: [
        { position: 2, kind: 'delete', at: 0, length: 1, text: null },
        { position: 3, kind: 'replace', text: 'Not once', created_by: reader.user.username },
      ],
    });
  });

  test('is at the path that the answer to its creation names', async () => {
    const made = await reader.post('/api/v1/branches', { media_id: document, name: 'Found again' });
    const location = made.headers.get('location');
    expect(location).toBe(`/api/v1/branches/${made.body.data.id}`);
    expect(await reader.get(location ?? '')).toMatchObject({ status: 200, body: made.body });
    const appended = await append(reader, made.body.data.id, 0, [insert(0, 'x')]);
    expect(appended.headers.get('location')).toBe(location);
    expect((await reader.get(location ?? '')).body).toEqual(appended.body);
  });

  test('can be forked from another branch at a position, and is independent from there', async () => {
    const { id: branchId } = await fork(reader, { media_id: document });
    await append(reader, branchId, 0, [insert(0, 'one '), insert(0, 'two ')]);
    const child = await fork(reader, { branch_id: branchId, position: 1, name: 'Child' });
    expect(child).toMatchObject({ parent_branch_id: branchId, parent_position: 1, media_id: document });
    await append(reader, branchId, 2, [insert(0, 'three ')]);
    expect((await textOf(reader, child.id)).text).toBe(`one ${TEXT}`);
    expect(await fork(reader, { branch_id: branchId })).toMatchObject({ parent_position: 3 });
    const { body } = await reader.get(`/api/v1/branches/${child.id}/compare?with_branch_id=${branchId}&to=3`);
    expect(body.data).toMatchObject({
      is_equal: false,
      lines_removed: 1,
      lines_added: 1,
      from: { branch_id: child.id, position: 0 },
      to: { branch_id: branchId, position: 3 },
    });
    expect(body.data.changes[0].parts[0]).toEqual({ kind: 'added', text: 'three two ' });
    const page = await reader.get(`/api/v1/branches?media_id=${document}&limit=1`);
    expect(page.body).toMatchObject({ data: [{ parent_position: 3 }], page: { has_more: true } });
    const next = await reader.get(
      `/api/v1/branches?media_id=${document}&limit=1&cursor=${page.body.page.next_cursor}`,
    );
    expect(next.body.data).toMatchObject([{ name: 'Child' }]);
  });

  test('refuses events beyond the maximum length of its text', async () => {
    const { id: branchId } = await fork(reader, { media_id: document });
    expect(await append(reader, branchId, 0, [insert(0, 'x'), insert(1000, 'y')])).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('events.1 does not fit: it reaches to 1000') } },
    });
    expect(await textOf(reader, branchId)).toMatchObject({ position: 0, text: TEXT });
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
    const { id: branchId } = await fork(reader, { media_id: document });
    expect(await reader.post(`/api/v1/branches/${branchId}/events`, body)).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });

  test.each<[string, object, number, string]>([
    ['neither', {}, 400, 'E_INVALID_REQUEST'],
    [
      'both',
      {
        media_id: '0195ad1e-0000-7000-8000-000000000000',
        branch_id: '0195ad1e-0000-7000-8000-000000000000',
      },
      400,
      'E_INVALID_REQUEST',
    ],
    ['a point that is not there', { position: 7 }, 400, 'E_INVALID_REQUEST'],
    [
      'a document that is not there',
      { media_id: '0195ad1e-0000-7000-8000-000000000000' },
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

  test('cannot be forked from a document without text', async () => {
    const { body } = await reader.post('/media/from_url', { url: 'https://example.org/later' });
    expect(await reader.post('/api/v1/branches', { media_id: body.data.media_id })).toMatchObject(
      failure(409, 'E_INVALID_STATE'),
    );
  });
});

describe('two parallel appends', () => {
  test('over HTTP: one wins, and the other gets the current head', async () => {
    const { id: branchId } = await fork(reader, { media_id: document });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => append(reader, branchId, 0, [insert(0, `${n} `)])),
    );
    const winners = answers.filter(({ status }) => status === 201);
    expect(winners).toHaveLength(1);
    const head = { position: 1, text_hash: winners[0]?.body.data.text_hash };
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject(failure(409, 'E_BRANCH_MOVED'));
      expect(answer.body.error.details).toEqual({ head });
    }
    expect(await textOf(reader, branchId)).toMatchObject(head);
    expect(await replay(reader, branchId)).toMatchObject({ status: 'succeeded' });
  });

  test('on two connections: the second waits for the first and sees its event', async () => {
    const { id: branchId } = await fork(reader, { media_id: document });
    const [first, second] = database.twoConnections();
    const principal = { ...reader.apiKey, owner: '', api_key_id: '', allowed_modes: [], ...viewerOf(reader) };
    const { governance } = app.services;
    const { run } = app.resources.texts;
    const service = (on: typeof sql) =>
      createBranches({ sql: on, requireMode: async () => {}, governance, run });
    const actor = { name: 'test' };
    const held = holdBeforeCommit(first);
    const winning = service(held.sql).append(
      principal as never,
      branchId,
      { after: 0, events: [insert(0, 'first ')] },
      actor,
    );
    await held.reached;
    const losing = service(second).append(
      principal as never,
      branchId,
      { after: 0, events: [insert(0, 'second ')] },
      actor,
    );
    losing.catch(() => {});
    expect(await blockedOrDone(sql, losing)).toBe('blocked');
    held.letGo();
    const { text_hash } = await winning;
    await expect(losing).rejects.toMatchObject({
      code: 'E_BRANCH_MOVED',
      details: { head: { position: 1, text_hash } },
    });
    expect((await textOf(reader, branchId)).text).toBe(`first ${TEXT}`);
  });
});

const viewerOf = ({ id, defaultLibraryId }: Reader) => ({
  user_id: id,
  default_library_id: defaultLibraryId,
});

describe('a branch is visible to', () => {
  test('its author and people who share the document with them, while they do', async () => {
    const [owner, member, stranger] = [
      await createReader(app),
      await createReader(app),
      await createReader(app),
    ];
    const shared = await saveDocument(sql, owner, { html: HTML });
    const library = await createLibrary(owner);
    await owner.post(`/libraries/${library}/media`, { media_id: shared });
    await join(owner, library, member);
    const { id: branchId } = await fork(member, { media_id: shared });
    // The stranger has saved the same page, and still must not see the work of others.
    await sql`insert into default_library_intrinsics (default_library_id, media_id) values (${stranger.defaultLibraryId}, ${shared})`;
    const paths = ['', '/text', '/events', '/compare?from=0'].map(
      (path) => `/api/v1/branches/${branchId}${path}`,
    );
    const sees = async (by: Reader) => {
      const statuses = await Promise.all(paths.map(async (path) => (await by.get(path)).status));
      const wrote = await append(by, branchId, 99, [insert(0, 'x')]);
      const forked = await by.post('/api/v1/branches', { branch_id: branchId });
      const { body } = await by.get(`/api/v1/branches?media_id=${shared}`);
      return [...statuses, wrote.status, forked.status, body.data.length > 0];
    };
    const everything = [200, 200, 200, 200, 409, 201, true];
    const nothing = [404, 404, 404, 404, 404, 404, false];
    expect(await sees(member)).toEqual(everything);
    expect(await sees(owner)).toEqual(everything);
    expect(await sees(stranger)).toEqual(nothing);
    expect(await replay(stranger, branchId)).toMatchObject({
      status: 'failed',
      error_code: 'E_BRANCH_NOT_FOUND',
    });
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    expect(await sees(member)).toEqual(nothing);
    expect((await owner.get(paths[0] as string)).status).toBe(404);
  });

  test('people of different libraries, and its events do not name them to each other', async () => {
    const [owner, one, other] = [await createReader(app), await createReader(app), await createReader(app)];
    const shared = await saveDocument(sql, owner, { html: HTML });
    for (const member of [one, other]) {
      const library = await createLibrary(owner);
      await owner.post(`/libraries/${library}/media`, { media_id: shared });
      await join(owner, library, member);
    }
    const { id: branchId } = await fork(owner, { media_id: shared });
    for (const [after, by] of [owner, one, other].entries())
      expect((await append(by, branchId, after, [insert(0, 'x')])).status).toBe(201);
    const named = async (by: Reader) =>
      (await by.get(`/api/v1/branches/${branchId}/events`)).body.data.map(
        ({ created_by }: { created_by: string | null }) => created_by,
      );
    const [first, second, third] = [owner, one, other].map(({ user }) => user.username);
    expect(await named(owner)).toEqual([first, second, third]);
    expect(await named(one)).toEqual([first, second, null]);
    expect(await named(other)).toEqual([first, null, third]);
  });

  test('viewers, who cannot write', async () => {
    const { key } = await createPerson(app, { role: 'viewer' });
    const answer = await app.call('POST', '/api/v1/branches', { key, body: { media_id: document } });
    expect(answer).toMatchObject(failure(403, 'E_FORBIDDEN'));
  });
});
