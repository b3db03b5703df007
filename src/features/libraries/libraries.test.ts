import { beforeAll, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import {
  createLibrary,
  createReader,
  join,
  type Reader,
  saveMedia,
} from '../../../test/support/libraries.ts';
import { newId } from '../../platform/ids.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let owner: Reader;
let admin: Reader;
let member: Reader;
let stranger: Reader;
let library: string;
let media: string;

beforeAll(async () => {
  [owner, admin, member, stranger] = [
    await createReader(app),
    await createReader(app),
    await createReader(app),
    await createReader(app),
  ];
  library = await createLibrary(owner, 'Reading group');
  await join(owner, library, admin, 'admin');
  await join(owner, library, member);
  media = await saveMedia(sql, owner);
});

describe('a library', () => {
  test('is created with its creator as owner and admin', async () => {
    const { status, body, headers } = await owner.post('/libraries', { name: '  Padded  ' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.any(String),
      name: 'Padded',
      owner_user_id: owner.id,
      is_default: false,
      role: 'admin',
      created_at: expect.any(String),
      updated_at: expect.any(String),
      media_count: 0,
      unread_count: 0,
    });
    expect(headers.get('location')).toBe(`/api/v1/libraries/${body.data.id}`);
    expect((await owner.get(headers.get('location') ?? '')).body).toEqual(body);
    expect((await owner.get(`/libraries/${body.data.id}`)).body).toEqual(body);
    await owner.delete(`/libraries/${body.data.id}`);
  });

  test.each([
    ['an empty name', ''],
    ['a name of spaces', '   '],
    ['a name of 101 characters', 'x'.repeat(101)],
  ])('with %s is 400, on creation and on renaming', async (_case, name) => {
    const [before] = await sql`select count(*) as n from libraries`;
    expect(await owner.post('/libraries', { name })).toMatchObject(failure(400, 'E_NAME_INVALID'));
    expect(await owner.patch(`/libraries/${library}`, { name })).toMatchObject(
      failure(400, 'E_NAME_INVALID'),
    );
    expect((await sql`select count(*) as n from libraries`)[0]).toEqual(before);
  });

  test('may have a name of 100 characters of any script', async () => {
    const name = '📚'.repeat(100);
    const { body } = await owner.patch(`/libraries/${library}`, { name });
    expect(body.data.name).toBe(name);
    await owner.patch(`/libraries/${library}`, { name: 'Reading group' });
  });

  test.each([
    ['no name', {}],
    ['a name of another type', { name: 7 }],
    ['a name with a NUL character', { name: 'a\u0000b' }],
    ['an unknown field', { name: 'x', is_default: true }],
  ])('with %s is malformed', async (_case, body) => {
    expect(await owner.post('/libraries', body)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test('is listed to its members: the default library first, then the newest, page by page', async () => {
    const second = await createLibrary(member, 'Second');
    const expected = [member.defaultLibraryId, second, library];
    const { body } = await member.get('/libraries');
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(expected);
    expect(body.data.map(({ role }: { role: string }) => role)).toEqual(['admin', 'admin', 'member']);
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body: page } = await member.get(`/libraries?limit=1${cursor}`);
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      if (!page.page.has_more) break;
      cursor = `&cursor=${page.page.next_cursor}`;
    }
    expect(seen).toEqual(expected);
    await member.delete(`/libraries/${second}`);
  });

  test('is renamed by its admins', async () => {
    expect((await admin.patch(`/libraries/${library}`, { name: 'Book club' })).body.data.name).toBe(
      'Book club',
    );
    expect((await member.get(`/libraries/${library}`)).body.data.name).toBe('Book club');
  });

  test('is deleted by its owner, and by nobody else', async () => {
    const doomed = await createLibrary(owner);
    await join(owner, doomed, admin, 'admin');
    expect(await admin.delete(`/libraries/${doomed}`)).toMatchObject(failure(403, 'E_OWNER_REQUIRED'));
    expect((await owner.delete(`/libraries/${doomed}`)).status).toBe(204);
    for (const by of [owner, admin])
      expect(await by.get(`/libraries/${doomed}`)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    // The one who has deleted it may ask again, for example after a lost answer.
    expect((await owner.delete(`/libraries/${doomed}`)).status).toBe(204);
    expect(await admin.delete(`/libraries/${doomed}`)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
    expect(await owner.delete(`/libraries/${newId()}`)).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
  });
});

/** Every route that names a library, with a body that fits. */
const requests = (id: string): [string, (reader: Reader) => ReturnType<Reader['get']>][] => [
  ['GET the library', (reader) => reader.get(`/libraries/${id}`)],
  ['PATCH the library', (reader) => reader.patch(`/libraries/${id}`, { name: 'x' })],
  ['DELETE the library', (reader) => reader.delete(`/libraries/${id}`)],
  ['GET its media', (reader) => reader.get(`/libraries/${id}/media`)],
  ['POST a media', (reader) => reader.post(`/libraries/${id}/media`, { media_id: media })],
  ['DELETE a media', (reader) => reader.delete(`/libraries/${id}/media/${media}`)],
  ['GET its invitations', (reader) => reader.get(`/libraries/${id}/invites`)],
  [
    'POST an invitation',
    (reader) => reader.post(`/libraries/${id}/invites`, { invitee_user_id: stranger.id }),
  ],
  ['GET its members', (reader) => reader.get(`/libraries/${id}/members`)],
  ['PATCH a member', (reader) => reader.patch(`/libraries/${id}/members/${member.id}`, { role: 'admin' })],
  ['DELETE a member', (reader) => reader.delete(`/libraries/${id}/members/${admin.id}`)],
  ['GET a removal preview', (reader) => reader.get(`/libraries/${id}/members/${member.id}/removal-preview`)],
  [
    'POST a transfer',
    (reader) => reader.post(`/libraries/${id}/transfer-ownership`, { new_owner_user_id: member.id }),
  ],
];

test('every route answers 404 to people who are not members', async () => {
  for (const [name, request] of requests(library)) {
    expect.soft(await request(stranger), name).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
  }
  for (const [name, request] of requests(newId())) {
    expect.soft(await request(owner), name).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
  }
  for (const [name, request] of requests(stranger.defaultLibraryId)) {
    expect.soft(await request(owner), name).toMatchObject(failure(404, 'E_LIBRARY_NOT_FOUND'));
  }
});

test('members get 403 for what only admins may do', async () => {
  const allowed = ['GET the library', 'GET its media'];
  for (const [name, request] of requests(library)) {
    const { status, body } = await request(member);
    if (allowed.includes(name)) expect.soft(status, name).toBe(200);
    else {
      const code = ['DELETE the library', 'POST a transfer'].includes(name)
        ? 'E_OWNER_REQUIRED'
        : 'E_FORBIDDEN';
      expect.soft([status, body.error?.code], name).toEqual([403, code]);
    }
  }
});

test('the default library cannot be shared, renamed, deleted or transferred', async () => {
  const id = owner.defaultLibraryId;
  const forbidden = failure(403, 'E_DEFAULT_LIBRARY_FORBIDDEN');
  expect(await owner.patch(`/libraries/${id}`, { name: 'Mine' })).toMatchObject(forbidden);
  expect(await owner.delete(`/libraries/${id}`)).toMatchObject(forbidden);
  expect(await owner.post(`/libraries/${id}/invites`, { invitee_user_id: member.id })).toMatchObject(
    forbidden,
  );
  for (const to of [member.id, owner.id]) {
    expect(await owner.post(`/libraries/${id}/transfer-ownership`, { new_owner_user_id: to })).toMatchObject(
      forbidden,
    );
  }
  expect(await owner.patch(`/libraries/${id}/members/${owner.id}`, { role: 'member' })).toMatchObject(
    forbidden,
  );
  expect(await owner.delete(`/libraries/${id}/members/${owner.id}`)).toMatchObject(forbidden);
});

describe('media in a library', () => {
  test('can be added only by people who can read it', async () => {
    const secret = await saveMedia(sql, stranger);
    for (const id of [secret, newId()]) {
      for (const to of [library, owner.defaultLibraryId]) {
        expect(await owner.post(`/libraries/${to}/media`, { media_id: id })).toMatchObject(
          failure(404, 'E_MEDIA_NOT_FOUND'),
        );
      }
    }
  });

  test('that the library does not contain cannot be removed', async () => {
    const elsewhere = await saveMedia(sql, owner);
    for (const id of [elsewhere, newId()]) {
      expect(await owner.delete(`/libraries/${library}/media/${id}`)).toMatchObject(
        failure(404, 'E_MEDIA_NOT_FOUND'),
      );
    }
  });

  test('is listed with who added it', async () => {
    await owner.post(`/libraries/${library}/media`, { media_id: media });
    const { body } = await member.get(`/libraries/${library}/media`);
    expect(body).toMatchObject({
      data: [
        {
          id: media,
          kind: 'web_article',
          title: expect.any(String),
          created_at: expect.any(String),
          updated_at: expect.any(String),
          added_at: expect.any(String),
          added_by_user_id: owner.id,
        },
      ],
      page: { has_more: false, next_cursor: null },
    });
  });

  test('that the viewer cannot read has no provenance', async () => {
    const secret = await saveMedia(sql, stranger);
    for (const id of [secret, newId()]) {
      expect(await owner.get(`/media/${id}/provenance`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
    }
    expect(await owner.get('/media/7/provenance')).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test.each([
    ['no media', {}],
    ['a malformed id', { media_id: 'x' }],
    ['an unknown field', { media_id: newId(), as: 'gift' }],
  ])('cannot be added with %s', async (_case, body) => {
    expect(await owner.post(`/libraries/${library}/media`, body)).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });
});

test.each(['limit=0', 'limit=201', 'cursor=x', `cursor=${Buffer.from('{}').toString('base64url')}`])(
  'a list with %s is 400',
  async (query) => {
    for (const path of ['/libraries', `/libraries/${library}/media`, `/libraries/${library}/members`]) {
      expect(await owner.get(`${path}?${query}`)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
    }
  },
);
