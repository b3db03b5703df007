import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { type Document, saveDocument } from '../../../test/support/documents.ts';
import { makePage } from '../../../test/support/fixtures/pages.ts';
import { startSite } from '../../../test/support/internet.ts';
import { createLibrary, createReader, join, type Reader } from '../../../test/support/libraries.ts';
import type { Worker } from '../../platform/jobs/worker.ts';

const site = await startSite((request, response) => {
  const body = makePage({
    title: request.url ?? '',
    article: '<p>It was then that we met Ada Lovelace. <a href="/b">See b.</a></p>',
  });
  response.writeHead(200, { 'content-type': 'text/html' }).end(body);
});

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_EGRESS_ALLOW: site.host });
let reader: Reader;
beforeAll(async () => {
  reader = await createReader(app);
});

/** Creates a document and projects it to the graph. */
async function document(by: Reader, content: Partial<Document> & { says?: string }): Promise<string> {
  const id = await saveDocument(sql, by, { html: `<p>${content.says}</p>`, ...content });
  expect(await app.services.graph.project(id)).toBe(true);
  return id;
}

const related = async (id: string, by = reader) => {
  const { status, body } = await by.get(`/media/${id}/related`);
  expect(status).toBe(200);
  expect(body.page).toEqual({ next_cursor: null, has_more: false });
  return body.data as {
    media: { id: string };
    score: number;
    links_to: boolean;
    linked_from: boolean;
    shared_entities: object[];
  }[];
};
const ids = (found: { media: { id: string } }[]) => found.map(({ media }) => media.id);

describe('a related document', () => {
  test('mentions the same entities: more and rarer ones rank higher', async () => {
    const one = await document(reader, {
      says: 'We met Grace Hopper and Alan Turing at Bletchley Park. We like Grace Hopper.',
    });
    const both = await document(reader, { says: 'They saw Grace Hopper with Alan Turing.', title: 'Both' });
    const single = await document(reader, { says: 'They saw Alan Turing.' });
    const none = await document(reader, { says: 'They saw Marie Curie.' });
    const found = await related(one);
    expect(ids(found)).toEqual([both, single]);
    expect(found[0]).toMatchObject({
      media: { id: both, title: 'Both', capabilities: { can_read: true } },
      links_to: false,
      linked_from: false,
      shared_entity_count: 2,
      shared_entities: [
        { kind: 'name', name: 'Grace Hopper', mentions: 2, mentions_there: 1 },
        { kind: 'name', name: 'Alan Turing', mentions: 1, mentions_there: 1 },
      ],
    });
    expect(await related(none)).toEqual([]);
  });

  test('links to it, or is linked from it, even if it was saved later', async () => {
    const to = 'https://example.org/linked';
    const linking = await document(reader, {
      html: `<p>See <a href="${to}?utm_source=feed#part">this</a>.</p>`,
    });
    expect(await related(linking)).toEqual([]);
    const linked = await document(reader, { says: 'nothing to see', url: to });
    expect(await related(linking)).toMatchObject([
      { media: { id: linked }, links_to: true, linked_from: false },
    ]);
    expect(await related(linked)).toMatchObject([
      { media: { id: linking }, links_to: false, linked_from: true },
    ]);
  });

  test('is one that the viewer can read now', async () => {
    const [owner, member] = [await createReader(app), await createReader(app)];
    const hidden = await document(owner, { says: 'They met Katherine Johnson.' });
    const own = await document(member, { says: 'We knew Katherine Johnson.' });
    expect(await related(own, member)).toEqual([]);
    const library = await createLibrary(owner);
    await owner.post(`/libraries/${library}/media`, { media_id: hidden });
    await join(owner, library, member);
    expect(ids(await related(own, member))).toEqual([hidden]);
    expect(ids(await related(hidden, member))).toEqual([own]);
    expect(await related(hidden, owner)).toEqual([]);
    await owner.delete(`/libraries/${library}/members/${member.id}`);
    expect(await related(own, member)).toEqual([]);
    expect(await member.get(`/media/${hidden}/related`)).toMatchObject(failure(404, 'E_MEDIA_NOT_FOUND'));
  });

  test('has a score that does not tell how many documents of other people mention a name', async () => {
    const stranger = await createReader(app);
    const own = await document(reader, { says: 'We met Rosalind Franklin.' });
    await document(reader, { says: 'They saw Rosalind Franklin.' });
    const before = await related(own);
    await document(stranger, { says: 'Nobody knows that we met Rosalind Franklin.' });
    expect(await related(own)).toEqual(before);
    await document(reader, { says: 'All knew Rosalind Franklin.' });
    const [first] = await related(own);
    expect(first?.score).toBeLessThan(before[0]?.score as number);
  });

  test.each(['limit=0', 'limit=201', 'limit=x'])('takes no %s', async (query) => {
    const id = await document(reader, { says: 'x' });
    expect(await reader.get(`/media/${id}/related?${query}`)).toMatchObject(
      failure(400, 'E_INVALID_REQUEST'),
    );
  });
});

describe('a document', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await app.engine.work({ concurrency: 4, pollSeconds: 0.2, graceSeconds: 5 });
  });
  afterAll(() => worker.stop());

  test('is projected when it becomes readable, and leaves the graph when it is deleted', async () => {
    const [a, b] = await Promise.all(
      ['/a', '/b'].map(async (path) => {
        const { body } = await reader.post('/media/from_url', { url: `${site.url}${path}` });
        return body.data.media_id as string;
      }),
    );
    await vi.waitFor(async () => {
      const found = await related(a as string);
      expect(found[0]).toMatchObject({ media: { id: b }, links_to: true, linked_from: false });
      expect(found[0]?.shared_entities).toMatchObject([
        { name: 'Ada Lovelace', mentions: 1, mentions_there: 1 },
      ]);
    }, 20_000);
    await sql`delete from media where id = ${b}`;
    expect(await sql`select from document_entities where media_id = ${b}`).toHaveLength(0);
    expect(await app.services.graph.project(b as string)).toBe(false);
  });

  test('that is projected twice is in the graph once', async () => {
    const id = await document(reader, { says: 'We met Tim Berners-Lee.' });
    const rows = () => sql`select kind, entity, name, mentions from document_entities where media_id = ${id}`;
    const before = [...(await rows())];
    await Promise.all([app.services.graph.project(id), app.services.graph.project(id)]);
    expect([...(await rows())]).toEqual(before);
  });
});
