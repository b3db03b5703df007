// Fills a database like after years of use: a million media, two thousand people, libraries of 200,000 and 20,000 media.
import { SEARCH_ROWS_VERSION } from '../../src/features/media/search/search-rows.ts';
import { newId } from '../../src/platform/ids.ts';
import { makePeople } from '../database.mjs';

export const SIZES = { media: 1_000_000, people: 2000, ofEachPerson: 300, large: 200_000, middle: 20_000 };
export const QUICK = { media: 20_000, people: 100, ofEachPerson: 30, large: 4000, middle: 400 };

/** An SQL expression for a number with a realistic distribution: a few numbers are frequent, most are rare. */
const rare = (max) => `floor(exp(random() * ln(${max})))::int`;

/** Creates media with ids that grow over time, like those of `newId`. The table `numbered` maps numbers to media. */
async function makeMedia(client, count, { user_id }) {
  await client.query(`
    create table numbered as
    select
      number,
      (lpad(to_hex(1700000000000 + number * 1000), 12, '0') || '7' || substr(md5(number::text), 1, 3) || '8'
        || substr(md5(number::text), 4, 15))::uuid as media_id,
      ${rare(3000)} as site,
      random() as chance,
      random() < 0.02 as has_failed
    from generate_series(1, ${count}) as number`);
  await client.query('alter table numbered add primary key (number)');
  await client.query(`
    insert into media (
      id, kind, title, created_by_user_id, processing_status, failure_stage, last_error_code, last_error_message,
      failed_at, canonical_url, site, published, word_count, description, plain_text
    )
    select
      media_id,
      case when chance < 0.8 then 'web_article' when chance < 0.9 then 'video' when chance < 0.97 then 'pdf' else 'epub' end,
      'w' || ${rare(20_000)} || ' w' || ${rare(20_000)} || ' t' || number,
      '${user_id}',
      case when has_failed then 'failed' when number % 1000 = 1 then 'pending' else 'ready' end,
      case when has_failed then 'extract' end, case when has_failed then 'E_FETCH_FAILED' end,
      case when has_failed then 'It did not answer.' end, case when has_failed then now() end,
      'https://s' || site || '.example/' || number,
      case when number % 20 <> 0 then 's' || site || '.example' end,
      case when number % 10 <> 0 then (date '2010-01-01' + (random() * 5000)::int)::text end,
      (random() * 5000)::int,
      repeat('A description of what it is about. ', 5),
      text.words
    from numbered
    cross join lateral (
      select string_agg('w' || ${rare(20_000)}, ' ') || case when number % 5 <> 0 then ' everywhere' else '' end as words
      from generate_series(1, 40 + 0 * number)
    ) as text`);
  await client.query(`
    insert into media_search (media_id, idx, document, version)
    select id, 0, setweight(search_document(title), 'A') || search_document(plain_text),
      ${SEARCH_ROWS_VERSION} from media`);
}

const IF_READY = `left join media as ready on ready.id = media_id and ready.processing_status = 'ready'`;

/** Creates a library of the media that match `which`, with a complete closure: every member has all of them. */
async function makeLibrary(client, people, which) {
  const id = newId();
  const [{ user_id: owner }] = people;
  await client.query(
    `insert into libraries (id, name, owner_user_id) values ('${id}', 'Shared', '${owner}')`,
  );
  await client.query(
    `insert into library_media (library_id, media_id, is_derived, created_at, ready_kind, ready_site)
     select '${id}', media_id, false, now() - random() * interval '1000 days', ready.kind, ready.site
     from numbered ${IF_READY} where ${which}`,
  );
  for (const { user_id, default_library_id } of people) {
    await client.query(
      `insert into memberships (library_id, user_id, role) values ('${id}', '${user_id}', 'admin')`,
    );
    await client.query(
      `insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
       select '${default_library_id}', media_id, '${id}' from numbered where ${which}`,
    );
    await list(client, default_library_id, which);
  }
  return id;
}

async function save(client, { default_library_id }, which) {
  await client.query(
    `insert into default_library_intrinsics (default_library_id, media_id, ready_kind, ready_site)
     select '${default_library_id}', media_id, ready.kind, ready.site from numbered ${IF_READY} where ${which}
     on conflict do nothing`,
  );
  await list(client, default_library_id, which);
}

async function list(client, libraryId, which) {
  await client.query(
    `insert into library_media (library_id, media_id, is_derived, created_at)
     select '${libraryId}', media_id, true, now() - random() * interval '1000 days' from numbered where ${which}
     on conflict do nothing`,
  );
}

async function read(client, { user_id }, which) {
  await client.query(
    `insert into media_readings (user_id, media_id, progress, finished_at)
     select '${user_id}', media_id, 0.5, case when number % 3 = 0 then now() end from numbered where ${which}`,
  );
}

/**
 * Fills the database and returns its people and libraries:
 * - `member` is in `large`, has saved a few of its media and a few others, and has started to read some of them;
 * - `collector` has saved as many media as `large` contains, and is in no shared library;
 * - `reader` has saved as many media as `middle` contains, and is in `middle`, which contains half of them;
 * - `busy` is in ten overlapping libraries of the size of `middle`;
 * - `plain_member` is in `large`, too; `plain_collector` has nothing yet; `mine.mjs` makes them equal to the other two;
 * - `others` have saved a few hundred media each.
 */
export async function makeWorld(sql, sizes, say = () => undefined) {
  const people = await makePeople(sql, sizes.people);
  const [member, colleague, collector, reader, busy, plain_collector, plain_member, ...others] = people;
  const client = await sql.connect();
  say('media');
  await makeMedia(client, sizes.media, collector);
  say('libraries');
  const every = (size) => sizes.media / size;
  const large = await makeLibrary(
    client,
    [member, colleague, plain_member],
    `number % ${every(sizes.large)} = 0`,
  );
  await save(
    client,
    member,
    `number % ${every(sizes.large) * 100} = 0 or number % ${every(sizes.large) * 100} = 1`,
  );
  await save(client, collector, `number % ${every(sizes.large)} = 1`);
  await makeLibrary(client, [reader, colleague], `number % ${every(sizes.middle)} = 0`);
  await save(
    client,
    reader,
    `number % ${every(sizes.middle) * 2} = 0 or number % ${every(sizes.middle) * 2} = 1`,
  );
  for (let n = 0; n < 10; n++) {
    await makeLibrary(
      client,
      [busy],
      `number % ${every(sizes.middle)} in (${2 * n}, ${2 * n + 1}) and number % 2 < 2 and number % 4 < 2`,
    );
  }
  await read(client, member, `number % ${every(sizes.large) * 20} = 0`);
  await read(client, collector, `number % ${every(sizes.large) * 10} = 1`);
  await read(client, reader, `number % ${every(sizes.middle) * 4} = 0`);
  say('other people');
  for (const [n, person] of others.entries()) {
    const first = (n * sizes.ofEachPerson) % (sizes.media - sizes.ofEachPerson);
    await save(client, person, `number > ${first} and number <= ${first + sizes.ofEachPerson}`);
  }
  say('vacuum');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  client.release();
  return { member, collector, reader, busy, plain_collector, plain_member, others, large };
}
