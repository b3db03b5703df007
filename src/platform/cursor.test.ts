import { beforeAll, describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../test/support/app.ts';
import { fork, HTML } from '../../test/support/branches.ts';
import { useDatabase } from '../../test/support/database.ts';
import { saveDocument } from '../../test/support/documents.ts';
import { createLibrary, createReader, type Reader } from '../../test/support/libraries.ts';
import { newId } from './ids.ts';

const database = useDatabase();
const app = useApp(database);

const id = newId();
const BEYOND_INT4 = 3_000_000_000;
const FURTHEST = Number.MAX_SAFE_INTEGER;

let reader: Reader;
/** The lists by name. */
const paths: Record<string, string> = {};

beforeAll(async () => {
  reader = await createReader(app);
  const mediaId = await saveDocument(database.sql, reader, { html: HTML });
  const libraryId = await createLibrary(reader);
  const { id: branchId } = await fork(reader, { media_id: mediaId });
  const body = { job_type: 'integrity_audit', payload: {}, execution_mode: 'sync' };
  const audit = await app.call('POST', '/api/v1/jobs/submit', { key: DEV_KEYS.admin, body });
  Object.assign(paths, {
    highlights: `/media/${mediaId}/highlights?`,
    matches: `/media/${mediaId}/matches?q=time`,
    fragments: `/media/${mediaId}/fragments?`,
    branch: `/branches/${branchId}/events?`,
    findings: `/jobs/${audit.body.job_id}/findings?`,
    search: '/search?q=time',
    tags: '/tags?',
    'library tags': `/libraries/${libraryId}/tags?`,
    'library media': `/libraries/${libraryId}/media?`,
    members: `/libraries/${libraryId}/members?`,
    added: '/media?sort=added',
    title: '/media?sort=title',
    published: '/media?sort=published',
    length: '/media?sort=length',
    read: '/media?sort=read',
    trash: '/trash?',
    backfills: '/backfill-jobs?',
  });
});

async function read(name: string, cursor: unknown) {
  const key = name === 'findings' || name === 'backfills' ? DEV_KEYS.admin : reader.key;
  const text = Buffer.from(JSON.stringify(cursor)).toString('base64url');
  return app.call('GET', `/api/v1${paths[name]}&cursor=${text}`, { key });
}

describe('a cursor', () => {
  test.each([
    ['highlights', { fragment_idx: BEYOND_INT4, start_offset: 0, id }],
    ['highlights', { fragment_idx: 0, start_offset: -BEYOND_INT4, id }],
    ['matches', { fragment_idx: BEYOND_INT4, start: 0 }],
    ['fragments', BEYOND_INT4],
    ['branch', BEYOND_INT4],
    ['findings', { kind: '\0', id: 1 }],
    ['tags', { name: '\0' }],
    ['library tags', { name: '\0' }],
    ['title', { sort: 'title asc', key: '\0', id }],
    ['published', { sort: 'published desc', key: '\0', id }],
    ['length', { sort: 'length desc', key: BEYOND_INT4, id }],
    ['added', { sort: 'added desc', key: 1e300, id }],
    ['search', { rank: '1', id, way: 'words' }],
  ])('that PostgreSQL cannot take is refused: %s %j', async (name, cursor) => {
    expect(await read(name, cursor)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  });

  test.each([
    ['highlights', { fragment_idx: 2 ** 31 - 1, start_offset: -(2 ** 31), id }],
    ['matches', { fragment_idx: 2 ** 31 - 1, start: 0 }],
    ['fragments', 2 ** 31 - 1],
    ['branch', 2 ** 31 - 1],
    ['findings', { kind: '\ud800', id: -FURTHEST }],
    ['tags', { name: '\ud800' }],
    ['library tags', { name: '\ud800' }],
    ['library media', { added_us: FURTHEST, media_id: id }],
    ['library media', { added_us: -FURTHEST, media_id: id }],
    ['members', { rank: 3, since_us: -FURTHEST, user_id: id }],
    ['title', { sort: 'title asc', key: '\ud800', id }],
    ['length', { sort: 'length desc', key: -(2 ** 31), id }],
    ['added', { sort: 'added desc', key: FURTHEST, id }],
    ['read', { sort: 'read desc', key: -FURTHEST, id }],
    ['trash', { trashed_us: FURTHEST, media_id: id }],
    ['backfills', { created_us: -FURTHEST, default_library_id: id, source_library_id: id }],
    ['search', { rank: -Number.MAX_VALUE, id, way: 'words' }],
    ['search', { rank: Number.MIN_VALUE, id, way: 'words' }],
  ])('with the furthest values is taken: %s %j', async (name, cursor) => {
    const { status, body } = await read(name, cursor);
    expect(status, JSON.stringify(body)).toBe(200);
  });
});
