/**
 * Audits whole databases.
 *
 * @module-tag slow
 */
import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { createLibrary, createReader, type Reader } from '../../../test/support/libraries.ts';
import { newDirectory } from '../../../test/support/workspace.ts';
import { newId } from '../../platform/ids.ts';
import { createJobCheck } from '../../platform/jobs/integrity.ts';
import { createBranchCheck } from '../branches/integrity.ts';
import { SNAPSHOT_EVERY } from '../branches/text.ts';
import { createGraphCheck } from '../graph/integrity.ts';
import { PROJECTOR } from '../graph/projector.ts';
import { createClosureCheck } from '../libraries/closure/closure-audit.ts';
import { createDefaultLibraryCheck } from '../libraries/default-library-check.ts';
import { createFileCheck, createSearchCheck, createTextCheck } from '../media/integrity.ts';
import { insertSearchRows, searchRowsOf } from '../media/search/search-rows.ts';

const database = useDatabase();
const { sql } = database;
const dataDir = await newDirectory('data');
const app = useApp(database, { NEXUS_DATA_DIR: dataDir });
const key = DEV_KEYS.admin;
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

async function audit(payload: object = {}) {
  const body = { job_type: 'integrity_audit', payload, execution_mode: 'sync' };
  const submitted = await app.call('POST', '/api/v1/jobs/submit', { key, body });
  const job = await app.call('GET', `/api/v1/jobs/${submitted.body.job_id}`, { key });
  expect(job.body).toMatchObject({ status: 'succeeded', error_text: null });
  return { jobId: submitted.body.job_id as string, ...job.body.result };
}

test('an audit of an empty database finds nothing', async () => {
  expect(await audit()).toMatchObject({
    document_count: 0,
    inconsistencies: [],
    inconsistency_count: 0,
    counts: {},
  });
});

describe('the audit finds', () => {
  let reader: Reader;
  let document: string;
  let book: string;
  let branch: string;
  let child: string;
  const file = { path: '', sha256: '', bytes: Buffer.from('%PDF-1.7 the file') };
  const image = { path: '', sha256: '', url: 'a'.repeat(64), bytes: Buffer.from('the image') };
  const asset = { path: '', bytes: Buffer.from('the asset') };

  beforeAll(async () => {
    const { storage } = app.resources;
    reader = await createReader(app);
    document = await saveDocument(sql, reader, {
      html: ['<p>We met Ada Lovelace.</p>', '<p>See <a href="https://example.org/">this</a>.</p>'],
    });
    book = await saveDocument(sql, reader, { html: '<p>They met Ada Lovelace, too.</p>' });
    for (const id of [document, book]) await app.services.graph.project(id);

    const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    Object.assign(file, { path: `media/${book}/original.epub`, sha256: sha256(file.bytes) });
    Object.assign(image, { path: `images/${sha256(image.bytes)}`, sha256: sha256(image.bytes) });
    asset.path = `media/${book}/assets/cover.png`;
    for (const stored of [file, image, asset]) await storage.put(stored.path, stored.bytes);
    await sql`
      update media
      set file_path = ${file.path}, file_sha256 = ${file.sha256}, file_size = ${file.bytes.length}
      where id = ${book}`;
    await sql`insert into media_assets (media_id, name, content_type, path) values (${book}, 'cover.png', 'image/png', ${asset.path})`;
    await sql`insert into images (url_sha256, content_sha256, content_type, size) values (${image.url}, ${image.sha256}, 'image/png', 1)`;

    const forked = await reader.post('/api/v1/branches', { media_id: document });
    branch = forked.body.data.id;
    const events = Array.from({ length: SNAPSHOT_EVERY + 2 }, (_, n) => ({
      kind: 'insert',
      at: 0,
      text: `${n} `,
    }));
    await reader.post(`/api/v1/branches/${branch}/events`, { after: 0, events });
    child = (await reader.post('/api/v1/branches', { branch_id: branch, position: 3 })).body.data.id;
  });

  beforeEach(async () => {
    expect(await audit()).toMatchObject({ document_count: 2, inconsistencies: [], counts: {} });
  });

  /** Expects the audit to find the damage. With `undo`, a repair must not remove it; without, `beforeEach` checks the repair. */
  async function finds(expected: object[], undo?: () => unknown): Promise<void> {
    const found = await audit();
    expect(found.inconsistencies).toEqual(expected);
    expect(found).toMatchObject({ inconsistency_count: expected.length, repaired: false });
    const repaired = await audit({ repair: true });
    expect(repaired.inconsistencies).toEqual(expect.arrayContaining(expected));
    if (!undo) return;
    expect((await audit()).inconsistencies).toEqual(expected);
    await undo();
  }

  const fragmentOf = async (id: string) => {
    const [fragment] = await sql<
      { id: string }[]
    >`select id from media_fragments where media_id = ${id} and idx = 0`;
    return fragment?.id ?? '';
  };

  describe('and repairs', () => {
    test('a text that differs from its HTML', async () => {
      await sql`update media_fragments set canonical_text = 'Another' where media_id = ${document} and idx = 0`;
      const fragment_id = await fragmentOf(document);
      const found = await audit();
      expect(found.inconsistencies).toEqual([
        { kind: 'fragment_text_differs', media_id: document, fragment_id, idx: 0 },
        { kind: 'plain_text_differs', media_id: document },
      ]);
      // Repairing the fragment's text also repairs the media's text.
      expect((await audit({ repair: true })).counts).toEqual({ fragment_text_differs: 1 });
    });

    test('a text of a media that differs from its fragments, and the data derived from it', async () => {
      await sql`update media set plain_text = 'We met Grace Hopper.' where id = ${book}`;
      expect((await audit()).inconsistencies).toEqual([
        { kind: 'plain_text_differs', media_id: book },
        { kind: 'search_row_differs', media_id: book, idx: 0 },
        { kind: 'graph_differs', media_id: book },
      ]);
      expect((await audit({ repair: true })).counts).toEqual({ plain_text_differs: 1 });
    });

    test('missing, altered and surplus search rows', async () => {
      await sql`delete from media_search where media_id = ${document}`;
      await finds([{ kind: 'search_row_missing', media_id: document, idx: 0 }]);
      await sql`update media_search set document = to_tsvector('simple', 'nonsense') where media_id = ${document}`;
      await finds([{ kind: 'search_row_differs', media_id: document, idx: 0 }]);
      await sql`insert into media_search (media_id, idx, document) values (${document}, 7, '')`;
      await finds([{ kind: 'search_row_unjustified', media_id: document, idx: 7 }]);
    });

    test('a document that is missing from the graph, differs there, or has an outdated projection', async () => {
      await sql`delete from document_graph where media_id = ${document}`;
      await finds([{ kind: 'graph_missing', media_id: document }]);
      await sql`update document_entities set mentions = 9 where media_id = ${document}`;
      await finds([{ kind: 'graph_differs', media_id: document }]);
      await sql`delete from document_links where media_id = ${document}`;
      await finds([{ kind: 'graph_differs', media_id: document }]);
      await sql`update document_graph set projector = 'older' where media_id = ${document}`;
      await finds([{ kind: 'graph_differs', media_id: document }]);
    });

    test('a graph entry of a document that cannot be read', async () => {
      const { body } = await reader.post('/media/from_url', { url: 'https://example.org/pending' });
      const { media_id } = body.data;
      await sql`insert into document_graph (media_id, projector) values (${media_id}, 'x')`;
      await finds([{ kind: 'graph_unjustified', media_id }]);
      await sql`delete from library_media where media_id = ${media_id}`;
      await sql`delete from default_library_intrinsics where media_id = ${media_id}`;
      await sql`delete from media where id = ${media_id}`;
    });

    test('a missing image, which is fetched again when it is shown next', async () => {
      await app.resources.storage.delete(image.path);
      await finds([{ kind: 'image_missing', url_sha256: image.url, path: image.path }]);
      await app.resources.storage.put(image.path, image.bytes);
      await sql`insert into images (url_sha256, content_sha256, content_type, size) values (${image.url}, ${image.sha256}, 'image/png', 1)`;
    });

    test('an altered or missing snapshot of a branch', async () => {
      const at = sql`branch_id = ${branch} and position = ${SNAPSHOT_EVERY}`;
      await sql`update branch_snapshots set text = 'x' where ${at}`;
      await finds([{ kind: 'branch_snapshot_altered', branch_id: branch, position: SNAPSHOT_EVERY }]);
      await sql`delete from branch_snapshots where ${at}`;
      await finds([{ kind: 'branch_snapshot_missing', branch_id: branch, position: SNAPSHOT_EVERY }]);
    });

    test('a media that is missing from a default library', async () => {
      await sql`delete from library_media where library_id = ${reader.defaultLibraryId} and media_id = ${book}`;
      await finds([
        { kind: 'default_media_missing', default_library_id: reader.defaultLibraryId, media_id: book },
      ]);
    });

    test('rows that belong to a library that does not exist', async () => {
      const nowhere = newId();
      await sql`insert into library_media (library_id, media_id, is_derived) values (${nowhere}, ${book}, false)`;
      await sql`insert into default_library_intrinsics (default_library_id, media_id) values (${nowhere}, ${book})`;
      await finds([{ kind: 'listed_without_library', library_id: nowhere }]);
    });
  });

  describe('and does not repair', () => {
    test('altered HTML: the HTML is the original, so its text is made to match', async () => {
      const [{ html }] = await sql<[{ html: string }]>`
        select html_sanitized as html from media_fragments where media_id = ${book}`;
      await sql`update media_fragments set html_sanitized = '<p>They met nobody.</p>' where media_id = ${book}`;
      await audit({ repair: true });
      const [fragment] =
        await sql`select html_sanitized, canonical_text from media_fragments where media_id = ${book}`;
      expect(fragment).toEqual({
        html_sanitized: '<p>They met nobody.</p>',
        canonical_text: 'They met nobody.',
      });
      await sql`update media_fragments set html_sanitized = ${html} where media_id = ${book}`;
      await audit({ repair: true });
    });

    test('a readable media without fragments', async () => {
      const id = await saveDocument(sql, reader, { html: [] });
      await app.services.graph.project(id);
      expect((await audit({ repair: true })).inconsistencies).toEqual([
        { kind: 'fragments_missing', media_id: id },
      ]);
      expect((await audit()).counts).toEqual({ fragments_missing: 1 });
      await sql`delete from library_media where media_id = ${id}`;
      await sql`delete from default_library_intrinsics where media_id = ${id}`;
      await sql`delete from media where id = ${id}`;
    });

    test('a missing or altered file', async () => {
      const { storage } = app.resources;
      const restore = () => storage.put(file.path, file.bytes);
      await storage.delete(file.path);
      await finds([{ kind: 'file_missing', media_id: book, path: file.path }], restore);
      const other = Buffer.from('%PDF-1.7 the fire');
      await storage.put(file.path, other);
      const sha256 = createHash('sha256').update(other).digest('hex');
      await finds(
        [{ kind: 'file_altered', media_id: book, path: file.path, size: other.length, sha256 }],
        restore,
      );
    });

    test('a missing asset and an altered image', async () => {
      const { storage } = app.resources;
      await storage.delete(asset.path);
      await finds([{ kind: 'asset_missing', media_id: book, name: 'cover.png', path: asset.path }], () =>
        storage.put(asset.path, asset.bytes),
      );
      await storage.put(image.path, Buffer.from('another image'));
      await finds([{ kind: 'image_altered', url_sha256: image.url, path: image.path }], () =>
        storage.put(image.path, image.bytes),
      );
    });

    test('an unreferenced file, once it is old enough', async () => {
      const { storage } = app.resources;
      const orphan = `media/${newId()}/original.pdf`;
      await storage.put(orphan, Buffer.from('nobody’s'));
      expect((await audit()).inconsistencies).toEqual([]);
      await utimes(path.join(dataDir, 'files', orphan), LONG_AGO, LONG_AGO);
      await finds([{ kind: 'file_without_owner', path: orphan }], () => storage.delete(orphan));
    });

    test('an altered event of a branch, and the branch forked from it', async () => {
      const [{ text, hash }] = await sql<[{ text: string; hash: string }]>`
        select text, text_hash as hash from branch_events where branch_id = ${branch} and position = 3`;
      const at = sql`branch_id = ${branch} and position = 3`;
      await sql`update branch_events set text = 'X ' where ${at}`;
      await finds(
        [
          {
            kind: 'branch_event_altered',
            branch_id: branch,
            position: 3,
            recorded: hash,
            found: expect.any(String),
          },
        ],
        () => sql`update branch_events set text = ${text} where ${at}`,
      );
      await sql`update branch_events set text_hash = 'feed' where ${at}`;
      await finds(
        [
          {
            kind: 'branch_event_hash_altered',
            branch_id: branch,
            position: 3,
            recorded: 'feed',
            found: hash,
          },
          { kind: 'branch_origin_differs', branch_id: child, position: 0, recorded: hash, found: 'feed' },
        ],
        () => sql`update branch_events set text_hash = ${hash} where ${at}`,
      );
    });
  });

  test('nothing when a document became readable just now and is not in the graph yet', async () => {
    await sql`delete from document_graph where media_id = ${document}`;
    await sql`update media set processing_completed_at = now() where id = ${document}`;
    expect((await audit({ repair: true })).inconsistencies).toEqual([]);
    await app.services.graph.project(document);
  });

  test('damage after the first batch', async () => {
    await sql`
      with made as (
        insert into media (id, kind, title, created_by_user_id, processing_status, plain_text, processing_completed_at)
        select gen_random_uuid(), 'web_article', 'Many', ${reader.id}, 'ready', 'Same', now() - interval '1 day'
        from generate_series(1, 1200)
        returning id
      ),
      fragment as (
        insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
        select gen_random_uuid(), id, 0, '<p>Same</p>', 'Same' from made
      )
      insert into document_graph (media_id, projector) select id, ${PROJECTOR} from made`;
    await insertSearchRows(sql, searchRowsOf(sql, sql`media.title = 'Many'`));
    expect(await audit()).toMatchObject({ document_count: 1202, inconsistencies: [] });
    const [last] = await sql<
      { id: string }[]
    >`select id from media where title = 'Many' order by id desc limit 1`;
    const media_id = last?.id ?? '';
    await sql`update media_fragments set canonical_text = 'Other' where media_id = ${media_id}`;
    await sql`delete from media_search where media_id = ${media_id}`;
    await sql`delete from document_graph where media_id = ${media_id}`;
    expect((await audit()).counts).toEqual({
      fragment_text_differs: 1,
      plain_text_differs: 1,
      search_row_missing: 1,
      graph_missing: 1,
    });
    await audit({ repair: true });
    expect((await audit()).counts).toEqual({});
    await sql`delete from media where title = 'Many'`;
  });

  test.each([
    ['jobs', () => createJobCheck(sql)],
    ['default libraries', () => createDefaultLibraryCheck(sql)],
    ['libraries', () => createClosureCheck(sql)],
    ['files', () => createFileCheck(sql, app.resources.storage)],
    ['texts', () => createTextCheck(sql, app.resources.extractors)],
    ['search rows', () => createSearchCheck(sql)],
    ['graph', () => createGraphCheck({ sql, graph: app.services.graph, projector: app.resources.projector })],
    ['branches', () => createBranchCheck(sql, app.resources.texts.run)],
  ])('nothing after its signal is aborted: %s', async (name, create) => {
    const check = create();
    expect(check.name).toBe(name);
    const run = check.run({
      repair: true,
      signal: AbortSignal.abort(new Error('stopped')),
      report: async () => expect.fail('It must not report findings.'),
      reportRows: async () => expect.fail('It must not report rows.'),
      progress: async () => {},
    });
    await expect(run).rejects.toThrow('stopped');
  });

  test('more inconsistencies than the result lists, and the route returns all of them', async () => {
    const library = await createLibrary(reader);
    await sql`
      insert into library_media (library_id, media_id, is_derived)
      select ${library}, gen_random_uuid(), false from generate_series(1, 450)`;
    const { jobId, ...found } = await audit();
    expect(found.counts).toEqual({ listed_without_media: 450, closure_edge_missing: 450 });
    expect(found).toMatchObject({
      inconsistency_count: 900,
      findings_path: `/api/v1/jobs/${jobId}/findings`,
    });
    expect(found.inconsistencies).toHaveLength(200);
    const read = (query: string) => app.call('GET', `/api/v1/jobs/${jobId}/findings?${query}`, { key });
    const all: { kind: string; media_id: string }[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await read(`kind=listed_without_media&limit=200${cursor}`);
      all.push(...body.data);
      if (!body.page.has_more) break;
      cursor = `&cursor=${body.page.next_cursor}`;
    }
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['listed_without_media']));
    expect(new Set(all.map(({ media_id }) => media_id)).size).toBe(450);
    expect((await read('limit=1')).body.data).toMatchObject([{ kind: 'closure_edge_missing' }]);
    const elsewhere = `/api/v1/jobs/${newId()}/findings`;
    expect(await app.call('GET', elsewhere, { key })).toMatchObject(failure(404, 'E_NOT_FOUND'));
    await sql`delete from library_media where library_id = ${library}`;
    // The next audit deletes the findings of deleted jobs.
    await sql`delete from jobs where id = ${jobId}`;
    await sql`delete from job_attempts where job_id = ${jobId}`;
    await audit();
    expect(await sql`select from integrity_findings where job_id = ${jobId}`).toHaveLength(0);
  });
});
