import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { createReader, findings } from '../../../test/support/libraries.ts';
import { createGraphCheck } from './integrity.ts';
import type { GraphSource } from './work.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

/** Counts the documents that a check projects. */
let read: number;
const check = () => {
  read = 0;
  return createGraphCheck({
    sql,
    graph: app.services.graph,
    projector: {
      project(sources: GraphSource[], signal) {
        read += sources.length;
        return app.resources.projector.project(sources, signal);
      },
    },
  });
};

let document: string;
beforeAll(async () => {
  const reader = await createReader(app);
  for (const name of ['Ada Lovelace', 'Grace Hopper']) {
    document = await saveDocument(sql, reader, {
      html: ['<p>Hello.</p>', `<p>We met ${name} at <a href="https://example.org/">home</a>.</p>`],
      language: 'en',
    });
    await app.services.graph.project(document);
  }
});

test('a document with a matching fingerprint is not projected again', async () => {
  expect(await findings(sql, check())).toEqual([]);
  expect(read).toBe(0);
});

test.each([
  ['its text', () => sql`update media set plain_text = plain_text || '.' where id = ${document}`],
  ['its language', () => sql`update media set language = 'en-GB' where id = ${document}`],
  [
    'its HTML',
    () => sql`
      update media_fragments set html_sanitized = html_sanitized || ' ' where media_id = ${document} and idx = 0`,
  ],
  ['the order of its HTML', () => sql`update media_fragments set idx = 7 - idx where media_id = ${document}`],
  ['its fingerprint', () => sql`update document_graph set fingerprint = null where media_id = ${document}`],
])('one without it because of %s is projected again and gets a new fingerprint', async (_what, damage) => {
  await damage();
  expect(await findings(sql, check())).toEqual([]);
  expect(read).toBe(1);
  expect(await findings(sql, check(), { repair: true })).toEqual([]);
  expect(read).toBe(1);
  await findings(sql, check());
  expect(read).toBe(0);
});

test.each([
  ['an entity', () => sql`update document_entities set mentions = 2 where media_id = ${document}`],
  ['the spelling of one', () => sql`update document_entities set name = 'X' where media_id = ${document}`],
  ['a link', () => sql`update document_links set canonical_url = 'x' where media_id = ${document}`],
  ['all of its links', () => sql`delete from document_links where media_id = ${document}`],
])('one with %s altered is found and repaired', async (_what, damage) => {
  await damage();
  const found = [{ kind: 'graph_differs', media_id: document }];
  expect(await findings(sql, check())).toEqual(found);
  expect(await findings(sql, check(), { repair: true })).toEqual(found);
  expect(await findings(sql, check())).toEqual([]);
  expect(read).toBe(0);
});
