import { beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app.ts';
import { useDatabase } from '../../support/database.ts';
import { auditOf, createLibrary, createReader, join, type Reader } from '../../support/libraries.ts';
import { saveReady } from '../../support/saved-media.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let owner: Reader;
let member: Reader;
let library: string;

beforeEach(async () => {
  [owner, member] = [await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  await join(owner, library, member);
});

const upper = (id: string) => id.toUpperCase();
const memberPath = (reader: Reader) => `/libraries/${upper(library)}/members/${upper(reader.id)}`;
const memberIds = async () =>
  (await owner.get(`/libraries/${upper(library)}/members`)).body.data.map(
    (row: { user_id: string }) => row.user_id,
  );

describe('an id in upper case means the same as in lower case', () => {
  test('in the routes of members', async () => {
    const changed = await owner.patch(memberPath(member), { role: 'contributor' });
    expect(changed.body.data).toMatchObject({ user_id: member.id, role: 'contributor' });
    expect((await owner.delete(memberPath(member))).status).toBe(204);
    expect(await memberIds()).toEqual([owner.id]);
  });

  test('when a member leaves', async () => {
    expect((await member.delete(memberPath(member))).status).toBe(204);
    expect(await memberIds()).toEqual([owner.id]);
  });

  test('when a library gets another owner', async () => {
    const given = await owner.post(`/libraries/${upper(library)}/transfer-ownership`, {
      new_owner_user_id: upper(member.id),
    });
    expect(given.body.data).toMatchObject({ id: library, owner_user_id: member.id });
  });

  test('when a link is saved to the own default library', async () => {
    const saved = await owner.post('/api/v1/media', {
      url: 'https://example.org/tides',
      library_id: upper(owner.defaultLibraryId),
    });
    expect(saved.status).toBe(201);
    expect(await auditOf(sql)).toEqual([]);
  });

  test('when a highlight is shared with the same library again', async () => {
    const mediaId = await saveReady(sql, owner, { texts: ['A passage.'] });
    await owner.post(`/libraries/${library}/media`, { media_id: upper(mediaId) });
    const marked = await owner.post(`/api/v1/media/${upper(mediaId)}/highlights`, {
      target: { fragment_idx: 0, selector: [{ type: 'TextPositionSelector', start: 2, end: 9 }] },
      visibility: { library_ids: [library] },
    });
    const { id } = marked.body.data;
    const before = await eventsOf(id);
    const again = await owner.patch(`/api/v1/highlights/${upper(id)}`, {
      visibility: { library_ids: [upper(library)] },
    });
    expect(again.body.data.visibility).toEqual({ library_ids: [library] });
    expect(await eventsOf(id)).toEqual(before);
  });
});

const eventsOf = (highlightId: string) =>
  sql`select event_type from outbox_event where aggregate_id = ${highlightId} order by id`;
