// The people, books and API keys of `npm run bench -- load`.
import { createHash } from 'node:crypto';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import { makeWorld } from '../lists/world.mjs';

export const SIZES = { media: 100_000, people: 207, ofEachPerson: 300, large: 20_000, middle: 2000 };
export const QUICK = { media: 5000, people: 27, ofEachPerson: 30, large: 1000, middle: 100 };

const BOOKS = 20;
export const CHAPTERS = 40;
const CHAPTER_LENGTH = 30_000;
const PARAGRAPH = '<p>The sea is never still, and the tide comes in twice a day because the earth turns.</p>';

/** Fills the database. Returns readers with their API key, the media that they saved, and the books that all of them have. */
export async function makeReaders(sql, sizes, say) {
  const { others } = await makeWorld(sql, sizes, say);
  say('books and keys');
  const books = Array.from({ length: BOOKS }, newId);
  await makeBooks(sql, books, others);
  const keys = others.map(() => `nxs_bench_${newId()}`);
  await sql`update users set role = 'researcher' where id = any(${others.map(({ user_id }) => user_id)})`;
  await sql`
    insert into api_keys (id, user_id, name, key_hash, prefix, role)
    select id, user_id, 'bench', decode(hash, 'hex'), 'bench', 'researcher'
    from unnest(
      ${keys.map(() => newId())}::uuid[],
      ${others.map(({ user_id }) => user_id)}::uuid[],
      ${keys.map((key) => createHash('sha256').update(key).digest('hex'))}::text[]
    ) as key (id, user_id, hash)`;
  const saved = await sql`
    select default_library_id, array_agg(media_id::text) as media
    from default_library_intrinsics group by default_library_id`;
  const mediaOf = new Map(saved.map(({ default_library_id, media }) => [default_library_id, media]));
  await sql`vacuum analyze`;
  return others.map(({ default_library_id }, index) => ({
    key: keys[index],
    media: mediaOf.get(default_library_id),
    books,
  }));
}

async function makeBooks(sql, books, people) {
  const html = PARAGRAPH.repeat(Math.ceil(CHAPTER_LENGTH / PARAGRAPH.length));
  const libraries = people.map(({ default_library_id }) => default_library_id);
  for (const [number, id] of books.entries()) {
    await transaction(sql, async (tx) => {
      await tx`
        insert into media (id, kind, title, created_by_user_id, processing_status, plain_text, word_count)
        values (${id}, 'epub', ${`Book ${number}`}, ${people[0].user_id}, 'ready', 'A book', 200000)`;
      await tx`
        insert into media_fragments (id, media_id, idx, title, html_sanitized, canonical_text)
        select gen_random_uuid(), ${id}, idx, 'Chapter ' || idx, ${html}, ${html.replaceAll(/<\/?p>/g, ' ')}
        from generate_series(0, ${CHAPTERS - 1}) as idx`;
      await tx`
        insert into default_library_intrinsics (default_library_id, media_id)
        select unnest(${libraries}::uuid[]), ${id}`;
      await tx`
        insert into library_media (library_id, media_id, is_derived)
        select unnest(${libraries}::uuid[]), ${id}, true`;
    });
  }
}
