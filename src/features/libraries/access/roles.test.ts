import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { makePdf } from '../../../../test/support/fixtures/pdf.ts';
import {
  auditOf,
  createLibrary,
  createReader,
  invite,
  join,
  type Reader,
} from '../../../../test/support/libraries.ts';
import { saveReady } from '../../../../test/support/saved-media.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import { addToLibrary, putIntoTrash } from '../closure/closure.ts';

/* What each role may do with a shared library, on every path. */

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const WHO = ['stranger', 'member', 'contributor', 'admin', 'owner'] as const;
type Who = (typeof WHO)[number];

let people: Record<Who, Reader>;
let library: string;

beforeAll(async () => {
  const created: Reader[] = [];
  for (const _ of WHO) created.push(await createReader(app));
  people = Object.fromEntries(WHO.map((who, index) => [who, created[index]])) as Record<Who, Reader>;
  library = await createLibrary(people.owner);
  for (const role of ['member', 'contributor', 'admin'] as const)
    await join(people.owner, library, people[role], role);
});

afterAll(async () => {
  // The backfills run in no worker; additions and removals keep the closure exact without them.
  expect(await auditOf(sql)).toEqual([]);
});

const isListed = async (mediaId: string) =>
  (await sql`select from library_media where library_id = ${library} and media_id = ${mediaId}`).length === 1;

const outcomeOf = ({ status, body }: Answer): string =>
  status < 300 ? 'done' : `${status} ${body.error.code}`;

/** Adds one media to the library as `by`. Returns the answer, and the media that is listed if it succeeded. */
type Add = (by: Reader) => Promise<{ outcome: string; mediaId: string | undefined }>;

async function upload(by: Reader): Promise<string> {
  const pdf = makePdf({ pages: [['Text']], title: newId() });
  const begun = await by.post('/media/upload/init', {
    kind: 'pdf',
    filename: 'file.pdf',
    content_type: 'application/pdf',
    size_bytes: pdf.length,
  });
  const { media_id, upload_url, upload_headers } = begun.body.data;
  const body = new Uint8Array(pdf);
  await fetch(new URL(upload_url, app.url), { method: 'PUT', headers: upload_headers, body });
  return media_id;
}

const ADDITIONS: Record<string, Add> = {
  'adding one': async (by) => {
    const media_id = await saveReady(sql, by);
    return {
      outcome: outcomeOf(await by.post(`/libraries/${library}/media`, { media_id })),
      mediaId: media_id,
    };
  },
  'adding many': async (by) => {
    const mediaId = await saveReady(sql, by);
    const body = { action: 'add', library_id: library, media_ids: [mediaId] };
    return { outcome: outcomeOf(await by.post('/media/bulk', body)), mediaId };
  },
  'saving a link': async (by) => {
    const body = { url: `http://127.0.0.1:9/${newId()}`, library_id: library };
    const answer = await by.post('/media', body);
    return { outcome: outcomeOf(answer), mediaId: answer.body.data?.media_id };
  },
  'finishing an upload': async (by) => {
    const mediaId = await upload(by);
    const answer = await by.post(`/media/${mediaId}/ingest`, { library_id: library });
    return { outcome: outcomeOf(answer), mediaId };
  },
  'finishing an upload again': async (by) => {
    const mediaId = await upload(by);
    await by.post(`/media/${mediaId}/ingest`);
    const answer = await by.post(`/media/${mediaId}/ingest`, { library_id: library });
    return { outcome: outcomeOf(answer), mediaId };
  },
  'importing a batch': async (by) => {
    const payload = { urls: [`http://127.0.0.1:9/${newId()}`], library_id: library };
    const submitted = await by.post('/api/v1/jobs/submit', {
      job_type: 'ingest_batch',
      payload,
      execution_mode: 'sync',
    });
    const { body: job } = await by.get(`/api/v1/jobs/${submitted.body.job_id}`);
    const refusals: Record<string, string> = {
      E_FORBIDDEN: '403 E_FORBIDDEN',
      E_LIBRARY_NOT_FOUND: '404 E_LIBRARY_NOT_FOUND',
    };
    const outcome = job.status === 'succeeded' ? 'done' : (refusals[job.error_code] ?? job.status);
    return { outcome, mediaId: job.result?.items?.[0]?.media_id };
  },
};

describe.each(Object.entries(ADDITIONS))('%s', (_name, add) => {
  test.each([
    ['stranger', '404 E_LIBRARY_NOT_FOUND'],
    ['member', '403 E_FORBIDDEN'],
    ['contributor', 'done'],
    ['admin', 'done'],
    ['owner', 'done'],
  ] as const)('as %s: %s', async (who, expected) => {
    const { outcome, mediaId } = await add(people[who]);
    expect(outcome).toBe(expected);
    if (mediaId) expect(await isListed(mediaId)).toBe(expected === 'done');
    if (expected !== 'done') return;
    const [row] = await sql`
      select added_by_user_id from library_media where library_id = ${library} and media_id = ${mediaId}`;
    expect(row?.added_by_user_id).toBe(people[who].id);
  });
});

/** A media that only the owner has saved, and that `addedBy` added to the library when they still could. */
async function listedBy(addedBy: Reader): Promise<string> {
  const mediaId = await saveReady(sql, people.owner);
  await transaction(sql, (tx) => addToLibrary(tx, library, [mediaId], { userId: addedBy.id }));
  return mediaId;
}

const REMOVALS = {
  one: async (by: Reader, mediaId: string) =>
    outcomeOf(await by.delete(`/libraries/${library}/media/${mediaId}`)),
  many: async (by: Reader, mediaId: string) => {
    const body = { action: 'remove', library_id: library, media_ids: [mediaId] };
    const answer = await by.post('/media/bulk', body);
    return answer.body.data?.unchanged === 1 ? 'unchanged' : outcomeOf(answer);
  },
};

test.each([
  ['stranger', 'one', 'own', '404 E_LIBRARY_NOT_FOUND'],
  ['stranger', 'many', 'own', '404 E_LIBRARY_NOT_FOUND'],
  ['member', 'one', 'own', '403 E_FORBIDDEN'],
  ['member', 'many', 'own', '403 E_FORBIDDEN'],
  ['contributor', 'one', 'own', 'done'],
  ['contributor', 'many', 'own', 'done'],
  ['contributor', 'one', 'other', '403 E_FORBIDDEN'],
  ['contributor', 'many', 'other', 'unchanged'],
  ['admin', 'one', 'other', 'done'],
  ['admin', 'many', 'other', 'done'],
  ['owner', 'one', 'other', 'done'],
  ['owner', 'many', 'other', 'done'],
] as const)(
  'removing as %s, %s, added by themselves or another (%s): %s',
  async (who, how, whose, expected) => {
    const by = people[who];
    const mediaId = await listedBy(whose === 'own' ? by : people[who === 'admin' ? 'contributor' : 'admin']);
    expect(await REMOVALS[how](by, mediaId)).toBe(expected);
    expect(await isListed(mediaId)).toBe(expected !== 'done');
  },
);

test('a contributor who removes many removes only what they added, and finds nothing that is not listed', async () => {
  const { contributor, admin } = people;
  const [own, other] = [await listedBy(contributor), await listedBy(admin)];
  const elsewhere = await saveReady(sql, contributor);
  const body = { action: 'remove', library_id: library, media_ids: [own, other, elsewhere, newId()] };
  const { body: answer } = await contributor.post('/media/bulk', body);
  expect(answer.data).toMatchObject({ changed: 1, unchanged: 2, not_found: 1 });
  expect(answer.data.changed_media[0].media_id).toBe(own);
  expect([await isListed(own), await isListed(other)]).toEqual([false, true]);
  expect(outcomeOf(await contributor.delete(`/libraries/${library}/media/${elsewhere}`))).toBe(
    '404 E_MEDIA_NOT_FOUND',
  );
});

test('adding again what another person added does not make it one’s own', async () => {
  const { contributor, admin } = people;
  const mediaId = await listedBy(admin);
  expect(
    (await contributor.post(`/libraries/${library}/media`, { media_id: mediaId })).body.data.created,
  ).toBe(false);
  expect(await REMOVALS.one(contributor, mediaId)).toBe('403 E_FORBIDDEN');
});

const RESTORATIONS = {
  one: async (by: Reader, mediaId: string) => outcomeOf(await by.post(`/api/v1/trash/${mediaId}/restore`)),
  many: async (by: Reader, mediaId: string) => {
    const answer = await by.post('/media/bulk', { action: 'restore', media_ids: [mediaId] });
    return answer.body.data?.not_found === 1 ? '404 E_MEDIA_NOT_FOUND' : outcomeOf(answer);
  },
};

describe.each(['one', 'many'] as const)('restoring %s from the trash to the library', (how) => {
  test.each([
    ['stranger', '404 E_MEDIA_NOT_FOUND'],
    ['member', '404 E_MEDIA_NOT_FOUND'],
    ['contributor', 'done'],
    ['admin', 'done'],
    ['owner', 'done'],
  ] as const)('as %s: %s', async (who, expected) => {
    const by = people[who];
    const mediaId = await saveReady(sql, await createReader(app));
    const trashed = { media_id: mediaId, library_id: library };
    await transaction(sql, (tx) => putIntoTrash(tx, by.defaultLibraryId, trashed));
    expect(await RESTORATIONS[how](by, mediaId)).toBe(expected);
    expect(await isListed(mediaId)).toBe(expected === 'done');
  });
});

describe('retrying', () => {
  test.each([
    ['stranger', 'own', '404 E_MEDIA_NOT_FOUND'],
    ['member', 'own', '403 E_FORBIDDEN'],
    ['contributor', 'other', '403 E_FORBIDDEN'],
    ['contributor', 'own', 'done'],
    ['admin', 'other', 'done'],
  ] as const)('as %s, added by themselves or another (%s): %s', async (who, whose, expected) => {
    const by = people[who];
    const mediaId = await listedBy(whose === 'own' ? by : people.owner);
    await sql`
      update media
      set processing_status = 'failed', failure_stage = 'extract', last_error_code = 'E_TIMEOUT',
          last_error_message = 'Slow', failed_at = now(), canonical_url = ${`https://example.org/${mediaId}`}
      where id = ${mediaId}`;
    const { body } = await by.get(`/libraries/${library}/media?limit=200`);
    const row = body.data?.find(({ id }: { id: string }) => id === mediaId);
    expect(row?.may_retry ?? false).toBe(expected === 'done');
    expect(outcomeOf(await by.post(`/media/${mediaId}/retry`))).toBe(expected);
  });
});

test.each<[string, (by: Reader) => Promise<Answer>]>([
  ['rename', (by) => by.patch(`/libraries/${library}`, { name: 'Other' })],
  ['list members', (by) => by.get(`/libraries/${library}/members`)],
  ['invite', (by) => by.post(`/libraries/${library}/invites`, { invitee_user_id: people.stranger.id })],
  ['list invitations', (by) => by.get(`/libraries/${library}/invites`)],
  [
    'revoke an invitation',
    async (by) => {
      const id = await invite(people.owner, library, await createReader(app));
      return by.delete(`/libraries/invites/${id}`);
    },
  ],
  [
    'change a role',
    (by) => by.patch(`/libraries/${library}/members/${people.member.id}`, { role: 'contributor' }),
  ],
  ['make themselves admin', (by) => by.patch(`/libraries/${library}/members/${by.id}`, { role: 'admin' })],
  ['remove a member', (by) => by.delete(`/libraries/${library}/members/${people.admin.id}`)],
  ['preview a removal', (by) => by.get(`/libraries/${library}/members/${people.member.id}/removal-preview`)],
])('a contributor may not %s', async (_action, act) => {
  expect(outcomeOf(await act(people.contributor))).toBe('403 E_FORBIDDEN');
});

test('a contributor may not delete or transfer the library', async () => {
  const { contributor } = people;
  const transfer = { new_owner_user_id: contributor.id };
  expect(outcomeOf(await contributor.delete(`/libraries/${library}`))).toBe('403 E_OWNER_REQUIRED');
  expect(outcomeOf(await contributor.post(`/libraries/${library}/transfer-ownership`, transfer))).toBe(
    '403 E_OWNER_REQUIRED',
  );
});

test('the list of a shared library says who added each media, by both routes', async () => {
  const { contributor, member } = people;
  const mediaId = await listedBy(contributor);
  for (const path of [
    `/libraries/${library}/media`,
    `/media?library_id=${library}`,
    `/media?library_id=${library}&sort=title`,
  ]) {
    const { body } = await member.get(path);
    const row = body.data.find(({ id }: { id: string }) => id === mediaId);
    expect([path, row.added_by_user_id]).toEqual([path, contributor.id]);
  }
  const { body } = await member.get('/media');
  expect(body.data.every((row: object) => !('added_by_user_id' in row))).toBe(true);
});
