// Adds to the world of `world.mjs` what people keep about media: a million tags on media and a million highlights, with
// favourites, archived media, own titles and notes. `collector` and `member` have most of it; `plain_collector` and
// `plain_member` may read the same media and keep nothing.

/** Tags on media and highlights, of `collector`, of `member`, and of each of the other people. */
export const KEPT = { tags: [300_000, 100_000, 300], highlights: [300_000, 100_000, 300], names: 400 };
export const KEPT_QUICK = { tags: [6000, 2000, 30], highlights: [6000, 2000, 30], names: 40 };

const ID = (number) => `
  (lpad(to_hex(1700000000000 + 10 * (${number})), 12, '0') || '7' || substr(md5((${number})::text), 1, 3) || '8'
    || substr(md5((${number})::text), 4, 15))::uuid`;

/** An SQL expression for a number with a realistic distribution: a few numbers are frequent, most are rare. */
const rare = (max) => `floor(exp(random() * ln(${max})))::int`;

const savedBy = ({ default_library_id }) => `
  select media_id, row_number() over (order by media_id) as place
  from library_media
  where library_id = '${default_library_id}'`;

/**
 * Tags media at random: most names are rare, and every fourth is below another one. `same/…` has the same media as a filter by
 * kind or site, so that the two lists can be compared.
 */
async function tag(client, person, count, names) {
  await client.query(`
    insert into tags (id, user_id, name)
    select gen_random_uuid(), '${person.user_id}'::uuid, case when n % 4 = 0 then 'topic' || n / 4 || '/' else '' end || 'topic' || n
    from generate_series(1, ${names}) as n
    union all
    select gen_random_uuid(), '${person.user_id}'::uuid, name
    from unnest(array['same/pdf', 'same/epub', 'site/rare']) as name`);
  await client.query(`
    insert into media_tags (tag_id, media_id, user_id)
    select tag.id, saved.media_id, '${person.user_id}'
    from (${savedBy(person)}) as saved
    join media on media.id = saved.media_id
    join tags as tag
      on tag.user_id = '${person.user_id}'
      and tag.name = case
        when media.kind in ('pdf', 'epub') then 'same/' || media.kind
        when media.kind = 'web_article' and media.site = 's50.example' then 'site/rare'
      end`);
  await client.query(`
    insert into media_tags (tag_id, media_id, user_id)
    select tag.id, saved.media_id, '${person.user_id}'
    from (
      select 1 + floor(random() * (select count(*) from library_media where library_id = '${person.default_library_id}'))::int
        as place, ${rare(names)} as number
      from generate_series(1, ${count})
    ) as chosen
    join (${savedBy(person)}) as saved on saved.place = chosen.place
    join tags as tag
      on tag.user_id = '${person.user_id}'
      and tag.name = case when number % 4 = 0 then 'topic' || number / 4 || '/' else '' end || 'topic' || number
    on conflict do nothing`);
}

/** Makes all videos favourites, and archives a tenth of everything; some media get a note or another title. */
async function keep(client, person) {
  await client.query(`
    insert into media_mine (user_id, media_id, is_favourite, favourited_at, archived_at, title, note)
    select
      '${person.user_id}', media.id,
      media.kind = 'video', case when media.kind = 'video' then now() end,
      case when place % 10 = 0 then now() end,
      case when place % 100 = 0 then 'My title w' || ${rare(20_000)} end,
      case when place % 20 = 0 then 'A note on it.' end
    from (${savedBy(person)}) as saved
    join media on media.id = saved.media_id
    where media.kind = 'video' or place % 10 = 0`);
}

/** Highlights ten passages of each of some media, one in three with a note; `share` shares every other one with a library. */
async function highlight(client, person, count, { first, share }) {
  await client.query(`
    create temporary table chosen as
    select place, media_id from (${savedBy(person)}) as saved order by md5(place::text) limit ${count / 10}`);
  await client.query(`
    insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
    select gen_random_uuid(), media_id, 0, '<p>Text</p>', 'Text' from chosen
    on conflict do nothing`);
  await client.query(`
    insert into highlights (
      id, media_id, user_id, fragment_id, fragment_idx, start_offset, end_offset, exact, prefix, suffix, color, note
    )
    select
      ${ID(`${first} + row_number() over (order by passage, place)`)},
      chosen.media_id, '${person.user_id}',
      case when place % 200 <> 0 then media_fragments.id end, 0, 100 * passage, 100 * passage + 50, words, '', '',
      (array['yellow', 'green', 'blue', 'pink', 'purple'])[1 + passage % 5],
      case when passage % 3 = 0 then 'A note w' || ${rare(20_000)} end
    from chosen
    join media_fragments on media_fragments.media_id = chosen.media_id and media_fragments.idx = 0
    cross join generate_series(1, 10) as passage
    cross join lateral (
      select string_agg('w' || ${rare(20_000)}, ' ') as words from generate_series(1, 10 + 0 * (place + passage))
    ) as text`);
  await client.query('drop table chosen');
  if (share) {
    await client.query(`
      insert into highlight_shares (highlight_id, library_id, user_id, media_id)
      select highlights.id, listed.library_id, highlights.user_id, highlights.media_id
      from highlights
      join library_media as listed on listed.library_id = '${share}' and listed.media_id = highlights.media_id
      where highlights.user_id = '${person.user_id}' and highlights.start_offset % 200 = 0`);
  }
}

/** Gives somebody the saved media of another person, with the same dates. */
async function saveTheSame(client, { default_library_id: from }, { default_library_id: to }) {
  await client.query(`
    insert into default_library_intrinsics (default_library_id, media_id, ready_kind, ready_site)
    select '${to}', media_id, ready_kind, ready_site from default_library_intrinsics where default_library_id = '${from}'
    on conflict do nothing`);
  await client.query(`
    insert into library_media (library_id, media_id, is_derived, created_at)
    select '${to}', media_id, true, created_at from library_media where library_id = '${from}'
    on conflict (library_id, media_id) do update set created_at = excluded.created_at`);
}

async function readTheSame(client, from, to) {
  await client.query(`
    insert into media_readings (user_id, media_id, progress, finished_at)
    select '${to.user_id}', media_id, progress, finished_at from media_readings where user_id = '${from.user_id}'`);
}

/** Fills the database. `modest` has a few hundred tags and highlights, like most people. */
export async function keepThings(sql, world, kept, say = () => undefined) {
  const client = await sql.connect();
  const { collector, member, plain_collector, plain_member, others } = world;
  for (const [from, to] of [
    [collector, plain_collector],
    [member, plain_member],
  ]) {
    await saveTheSame(client, from, to);
    await readTheSame(client, from, to);
  }
  say('tags');
  await tag(client, collector, kept.tags[0], kept.names);
  await tag(client, member, kept.tags[1], kept.names);
  for (const person of others) await tag(client, person, kept.tags[2], 20);
  say('favourites, archives and notes');
  for (const person of [collector, member, ...others]) await keep(client, person);
  say('highlights');
  let first = 0;
  const add = async (person, count, options) => {
    await highlight(client, person, count, { first, ...options });
    first += count;
  };
  await add(collector, kept.highlights[0]);
  await add(member, kept.highlights[1], { share: world.large });
  for (const person of others) await add(person, kept.highlights[2]);
  say('vacuum');
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  const { rows } = await client.query(
    'select (select count(*)::int from media_tags) as tags, (select count(*)::int from highlights) as highlights',
  );
  client.release();
  return { modest: others.at(-1), counts: rows[0] };
}
