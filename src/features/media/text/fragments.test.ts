import { describe, expect, test } from 'vitest';
import { saveDocument } from '../../../../test/support/analysis-documents.ts';
import { failure, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { createReader } from '../../../../test/support/libraries.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

const unreadable = failure(404, 'E_MEDIA_NOT_FOUND');

describe('the fragments of a media', () => {
  test('are paged, each once and in order', async () => {
    const reader = await createReader(app);
    const texts = Array.from({ length: 7 }, (_, index) => `Chapter ${index}`);
    const id = await saveDocument(sql, reader, ...texts);
    const seen: string[] = [];
    let pages = 0;
    for (let cursor = ''; ; ) {
      const { body } = await reader.get(`/api/v1/media/${id}/fragments?limit=3${cursor}`);
      seen.push(...body.data.map(({ canonical_text }: { canonical_text: string }) => canonical_text));
      pages += 1;
      if (body.page.next_cursor === null) break;
      cursor = `&cursor=${body.page.next_cursor}`;
    }
    expect([seen, pages]).toEqual([texts, 3]);
  });

  test('end a page after half a million characters, but never before its first fragment', async () => {
    const reader = await createReader(app);
    const id = await saveDocument(
      sql,
      reader,
      'a'.repeat(600_000),
      'b'.repeat(300_000),
      'c'.repeat(300_000),
      'd',
    );
    const first = await reader.get(`/api/v1/media/${id}/fragments`);
    expect(first.body.data.map(({ idx }: { idx: number }) => idx)).toEqual([0]);
    const second = await reader.get(`/api/v1/media/${id}/fragments?cursor=${first.body.page.next_cursor}`);
    expect(second.body.data.map(({ idx }: { idx: number }) => idx)).toEqual([1, 2]);
    const third = await reader.get(`/api/v1/media/${id}/fragments?cursor=${second.body.page.next_cursor}`);
    expect(third.body).toMatchObject({ data: [{ idx: 3 }], page: { has_more: false, next_cursor: null } });
  });

  test('can be requested by index', async () => {
    const reader = await createReader(app);
    const id = await saveDocument(sql, reader, 'First', 'Second');
    const { body } = await reader.get(`/api/v1/media/${id}/fragments/1`);
    expect(body.data).toMatchObject({ idx: 1, canonical_text: 'Second' });
    expect(await reader.get(`/api/v1/media/${id}/fragments/2`)).toMatchObject(failure(404, 'E_NOT_FOUND'));
    for (const idx of ['-1', 'x', '1.5', '99999999999'])
      expect((await reader.get(`/api/v1/media/${id}/fragments/${idx}`)).status, idx).toBe(400);
  });

  test('have an index of lengths and offsets as JavaScript counts them', async () => {
    const reader = await createReader(app);
    const texts = ['plain', 'café 😀 𝒳', '', 'the end'];
    const id = await saveDocument(sql, reader, ...texts);
    const { body } = await reader.get(`/api/v1/media/${id}/fragments/index`);
    const whole = texts.map((text) => text.length);
    expect(
      body.data.map(({ length, offset }: { length: number; offset: number }) => [length, offset]),
    ).toEqual(
      whole.map((length, index) => [length, whole.slice(0, index).reduce((sum, each) => sum + each, 0)]),
    );
    expect(JSON.stringify(body)).not.toContain('plain');
  });

  test('are hidden from people who may not read the media, in the same way as if it did not exist', async () => {
    const [reader, stranger] = [await createReader(app), await createReader(app)];
    const id = await saveDocument(sql, reader, 'Mine');
    for (const path of ['', '/index', '/0', '/9'])
      expect(await stranger.get(`/api/v1/media/${id}/fragments${path}`)).toMatchObject(unreadable);
    await reader.delete(`/api/v1/media/${id}`);
    for (const path of ['', '/index', '/0'])
      expect(await reader.get(`/api/v1/media/${id}/fragments${path}`)).toMatchObject(unreadable);
  });

  test('of a media that is not extracted yet are an empty list', async () => {
    const reader = await createReader(app);
    const id = await saveDocument(sql, reader);
    expect((await reader.get(`/api/v1/media/${id}/fragments`)).body).toEqual({
      data: [],
      page: { next_cursor: null, has_more: false },
    });
    expect((await reader.get(`/api/v1/media/${id}/fragments/index`)).body.data).toEqual([]);
  });
});
