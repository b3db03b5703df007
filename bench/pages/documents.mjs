// Documents to read, with text that compresses as prose does.
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';

/** A small generator of random numbers, so that every run has the same text. */
function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = createRandom(7);
const SYLLABLES = 'ta re mi lon gra sel du va chi por ne ous ti am be ro kel und is fa'.split(' ');
const WORDS = Array.from({ length: 6000 }, () =>
  Array.from({ length: 1 + Math.floor(random() * 4) }, () => SYLLABLES[Math.floor(random() * 20)]).join(''),
);

/** Returns a paragraph of about 500 characters. Few words are frequent, and most are rare. */
function paragraph() {
  const words = Array.from({ length: 75 }, () => WORDS[Math.floor(WORDS.length * random() ** 3)]);
  return `${words.join(' ')}.`;
}

function fragmentOf(length) {
  const paragraphs = Array.from({ length: Math.ceil(length / 500) }, paragraph);
  return {
    html: paragraphs.map((text) => `<p>${text}</p>`).join('\n'),
    text: paragraphs.join('\n\n'),
  };
}

/** Inserts a media with fragments of these lengths into a person's library, and returns its id. */
export async function insertMedia(sql, person, { kind, title, lengths }) {
  const id = newId();
  await transaction(sql, async (tx) => {
    await tx`
      insert into media (id, kind, title, created_by_user_id, processing_status, plain_text, word_count)
      values (${id}, ${kind}, ${title}, ${person.id}, 'ready', ${title}, 1000)`;
    await tx`insert into default_library_intrinsics (default_library_id, media_id) values (${person.default_library_id}, ${id})`;
    await tx`insert into library_media (library_id, media_id, is_derived) values (${person.default_library_id}, ${id}, true)`;
    for (const [idx, length] of lengths.entries()) {
      const { html, text } = fragmentOf(length);
      await tx`
        insert into media_fragments (id, media_id, idx, title, html_sanitized, canonical_text)
        values (${newId()}, ${id}, ${idx}, ${`Chapter ${idx + 1}`}, ${html}, ${text})`;
    }
  });
  return id;
}

/** Inserts articles without text, to fill the list of a person's library. */
export async function insertArticles(sql, person, count) {
  await sql`
    with made as (
      insert into media
        (id, kind, title, processing_status, processing_started_at, processing_completed_at, canonical_url, site,
         reading_minutes, description, created_by_user_id)
      select
        gen_random_uuid(), 'web_article', 'Article number ' || number, 'ready', now(), now(),
        'https://example.com/' || number, 'Site ' || number % 40, 1 + number % 30,
        'About article ' || md5(number::text) || ', in a sentence that is as long as most of them are.', ${person.id}
      from generate_series(1, ${count}) as number
      returning id
    ),
    saved as (
      insert into default_library_intrinsics (default_library_id, media_id)
      select ${person.default_library_id}, id from made
    )
    insert into library_media (library_id, media_id, is_derived)
    select ${person.default_library_id}, id, true from made`;
}
