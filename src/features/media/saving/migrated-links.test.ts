import { expect, test } from 'vitest';
import { useDatabase } from '../../../../test/support/database.ts';
import { migrate, readMigrations } from '../../../platform/database/migrator.ts';
import { newId } from '../../../platform/ids.ts';

const { sql } = useDatabase({ template: 'template0' });

test('migration 18 gives the typed address to its creator and names nobody else', async () => {
  const migrations = await readMigrations();
  const before = migrations.findIndex(({ name }) => name.includes('links_of_their_savers'));
  await migrate(sql, migrations.slice(0, before));
  const [ana, ben, shared, media] = [person(), person(), newId(), newId()];
  for (const { id, home, name } of [ana, ben]) {
    const client = await sql.connect();
    await client.query('begin');
    await client.query(
      'insert into users (id, username, display_name, role, default_library_id) values ($1, $2, $2, $3, $4)',
      [id, name, 'viewer', home],
    );
    await client.query(
      "insert into libraries (id, name, owner_user_id, is_default) values ($1, 'My library', $2, true)",
      [home, id],
    );
    await client.query('commit');
    client.release();
  }
  await sql`insert into libraries (id, name, owner_user_id) values (${shared}, 'Shared', ${ana.id})`;
  await sql`
    insert into memberships (library_id, user_id, role, created_at)
    values (${shared}, ${ana.id}, 'admin', '2020-01-01'), (${shared}, ${ben.id}, 'member', '2020-05-01')`;
  await sql`
    insert into media (id, kind, title, created_by_user_id, requested_url, canonical_url)
    values (${media}, 'web_article', 'A page', ${ana.id}, 'https://example.org/?utm_source=ana', 'https://example.org/')`;
  await sql`
    insert into default_library_intrinsics (default_library_id, media_id, created_at)
    values (${ana.home}, ${media}, '2020-02-01')`;
  await sql`
    insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
    values (${ana.home}, ${media}, ${shared}), (${ben.home}, ${media}, ${shared})`;
  await sql`
    insert into library_media (library_id, media_id, is_derived, added_by_user_id, created_at)
    values (${shared}, ${media}, false, ${ana.id}, '2020-03-01'),
      (${ana.home}, ${media}, true, ${ana.id}, '2020-12-01'),
      (${ben.home}, ${media}, true, ${ana.id}, '2020-12-01')`;
  const event = (type: string) => sql`
    insert into outbox_event (id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key, request_id)
    values (${newId()}, ${type}, 1, 'media', ${media}, ${JSON.stringify({ media_id: media, created_by_user_id: ana.id })}::jsonb,
      ${newId()}, 'of-ana')`;
  await event('media.created');
  await event('media.ready');

  await migrate(sql, migrations);

  expect([...(await sql`select default_library_id, requested_url from default_library_intrinsics`)]).toEqual([
    { default_library_id: ana.home, requested_url: 'https://example.org/?utm_source=ana' },
  ]);
  const dates = await sql`
    select library_id, added_by_user_id, (created_at at time zone 'utc')::date::text as day
    from library_media
    order by day, library_id`;
  expect([...dates]).toEqual([
    { library_id: ana.home, added_by_user_id: null, day: expect.stringMatching(/^2020-0[12]/) },
    { library_id: shared, added_by_user_id: ana.id, day: expect.stringMatching(/^2020-0[23]/) },
    { library_id: ben.home, added_by_user_id: null, day: expect.stringMatching(/^2020-0[45]/) },
  ]);
  expect([
    ...(await sql`select event_type, payload, request_id from outbox_event order by event_type`),
  ]).toEqual([
    {
      event_type: 'media.created',
      payload: { media_id: media, created_by_user_id: ana.id },
      request_id: 'of-ana',
    },
    { event_type: 'media.ready', payload: { media_id: media }, request_id: null },
  ]);
});

const person = () => ({ id: newId(), home: newId(), name: newId() });
