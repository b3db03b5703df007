import { beforeAll, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { createReader, type Reader } from '../../../test/support/libraries.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { EXPORT_FORMATS, libraryExport } from '../../contract/export.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_BLOCKED_TERMS: 'xylophone' });
let reader: Reader;
let redacted: string;
let kept: string;
beforeAll(async () => {
  const policy = { name: 'harps', mode: 'PUBLIC', action: 'block', terms: ['harp'], patterns: [] };
  const { status } = await app.call('POST', '/api/v1/governance/policies', {
    key: DEV_KEYS.admin,
    body: policy,
  });
  expect(status).toBe(201);
  reader = await createReader(app);
  await saveReady(sql, reader, { title: 'Drums', texts: ['Loud.'] });
  redacted = await saveReady(sql, reader, { title: 'A xylophone', texts: ['The xylophone.', 'Nothing.'] });
  kept = await saveReady(sql, reader, { title: 'Strings', texts: ['A harp.'] });
  await sql`update media set canonical_url = 'https://example.org/harp' where id = ${kept}`;
});

const path = (format: string) => `/libraries/${reader.defaultLibraryId}/export?format=${format}`;

test('a blocked document keeps its link and loses its text; the others are complete', async () => {
  const { body } = await reader.get(path('json'));
  const { documents } = libraryExport.parse(body);
  expect(documents.map(({ title, withheld }) => ({ title, withheld }))).toEqual([
    { title: 'Drums', withheld: false },
    { title: 'A █████████', withheld: false },
    { title: null, withheld: true },
  ]);
  expect(documents[1]?.texts.map(({ text }) => text)).toEqual(['The █████████.', 'Nothing.']);
  expect(documents[2]).toMatchObject({ url: 'https://example.org/harp', texts: [] });
});

test('titles of bookmarks are redacted, and a blocked one is replaced by its address', async () => {
  await sql`update media set title = 'A harp', canonical_url = 'https://example.org/harp' where id = ${kept}`;
  await sql`update media set canonical_url = 'https://example.org/x' where id = ${redacted}`;
  const { body } = await reader.get(path('html'));
  expect([...body.matchAll(/>([^<]*)<\/A>/g)].map(([, title]) => title)).toEqual([
    'A █████████',
    'https://example.org/harp',
  ]);
});

test('in Markdown, markup inside a word hides nothing', async () => {
  await sql`
    update media_fragments
    set html_sanitized = case idx when 0 then '<p>The xylo<em>phone</em>.</p>' else '<p><b>Nothing</b>.</p>' end
    where media_id = ${redacted}`;
  const { status, body } = await reader.get(`/media/${redacted}/export`);
  expect(status).toBe(200);
  expect(body).not.toMatch(/xylo/);
  expect(body).toContain('The █████████.');
  expect(body).toContain('**Nothing**.');
  expect(await reader.get(`/media/${kept}/export`)).toMatchObject(failure(403, 'E_GOVERNANCE_BLOCKED'));
});

test('highlights and notes are redacted in every format, and those of a blocked document are left out', async () => {
  for (const [id, exact] of [
    [redacted, 'The xylophone.'],
    [kept, 'A harp.'],
  ]) {
    const target = { fragment_idx: 0, selector: [{ type: 'TextQuoteSelector', exact }] };
    const { status } = await reader.post(`/api/v1/media/${id}/highlights`, {
      target,
      note: `Marked: ${exact}`,
    });
    expect(status).toBe(201);
    await reader.patch(`/api/v1/media/${id}/mine`, { note: `Of it: ${exact}`, title: `My ${exact}` });
  }
  for (const format of EXPORT_FORMATS) {
    const response = await fetch(app.url + path(format), { headers: { 'x-nexus-api-key': reader.key } });
    const text = (await response.text()).replaceAll('https://example.org/harp', '');
    expect(text, format).not.toMatch(/xylophone|harp/i);
    expect(text, format).toContain('█████████');
  }
});
