import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEV_KEYS, useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import {
  auditOf,
  closureOf,
  createLibrary,
  createReader,
  type Found,
  join,
  type Reader,
  saveEpisode,
} from '../../../../test/support/libraries.ts';
import { runNexus } from '../../../../test/support/nexus-process.ts';
import { newId } from '../../../platform/ids.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let owner: Reader;
let member: Reader;
let library: string;
let media: string;

beforeAll(async () => {
  [owner, member] = [await createReader(app), await createReader(app)];
  library = await createLibrary(owner);
  media = await saveEpisode(sql, owner);
  await join(owner, library, member);
  await owner.post(`/libraries/${library}/media`, { media_id: media });
  await sql`update default_library_backfill_jobs set status = 'completed', finished_at = now()`;
});

/** Each test damages something, and leaves it repaired. */
beforeEach(async () => expect(await auditOf(sql)).toEqual([]));

/** Checks that a difference is reported with its ids, reported again, repaired, and then not reported any more. */
async function findsAndMends(expected: Found): Promise<void> {
  expect(await auditOf(sql)).toEqual([expected]);
  expect(await auditOf(sql, { repair: true })).toContainEqual(expected);
  expect(await auditOf(sql)).toEqual([]);
}

describe('the audit finds and repairs', () => {
  test('a missing edge', async () => {
    await sql`delete from default_library_closure_edges where default_library_id = ${owner.defaultLibraryId}`;
    await findsAndMends({
      kind: 'closure_edge_missing',
      default_library_id: owner.defaultLibraryId,
      media_id: media,
      source_library_id: library,
    });
    expect((await closureOf(sql, owner.defaultLibraryId, media)).edges).toEqual([library]);
  });

  test('a missing edge together with the row it justified', async () => {
    await sql`delete from default_library_closure_edges where default_library_id = ${member.defaultLibraryId}`;
    await sql`delete from library_media where library_id = ${member.defaultLibraryId}`;
    await findsAndMends({
      kind: 'closure_edge_missing',
      default_library_id: member.defaultLibraryId,
      media_id: media,
      source_library_id: library,
    });
    expect((await closureOf(sql, member.defaultLibraryId, media)).listed).toBe(true);
  });

  test.each(['a library that its owner is not in', 'a library that does not hold it', 'no library at all'])(
    'an edge from %s',
    async (from) => {
      const stranger = await createReader(app);
      const [into, source, id] =
        from === 'a library that its owner is not in'
          ? [stranger.defaultLibraryId, library, media]
          : from === 'a library that does not hold it'
            ? [member.defaultLibraryId, library, await saveEpisode(sql, owner)]
            : [member.defaultLibraryId, newId(), media];
      await sql`
        insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
        values (${into}, ${id}, ${source})`;
      await sql`
        insert into library_media (library_id, media_id, is_derived) values (${into}, ${id}, true)
        on conflict do nothing`;
      await findsAndMends({
        kind: 'closure_edge_unjustified',
        default_library_id: into,
        media_id: id,
        source_library_id: source,
      });
      expect((await closureOf(sql, member.defaultLibraryId, media)).listed).toBe(true);
    },
  );

  test('a row of a default library without a reason', async () => {
    const bare = await saveEpisode(sql, owner);
    await sql`
      insert into library_media (library_id, media_id, is_derived) values (${member.defaultLibraryId}, ${bare}, true)`;
    await findsAndMends({
      kind: 'default_media_unjustified',
      default_library_id: member.defaultLibraryId,
      media_id: bare,
    });
    expect((await closureOf(sql, member.defaultLibraryId, bare)).listed).toBe(false);
  });

  test.each(['intrinsic', 'edge'])('an %s whose row is missing', async (what) => {
    const reader = what === 'intrinsic' ? owner : member;
    const id = what === 'intrinsic' ? await saveEpisode(sql, owner) : media;
    await sql`delete from library_media where library_id = ${reader.defaultLibraryId} and media_id = ${id}`;
    await findsAndMends({
      kind: 'default_media_missing',
      default_library_id: reader.defaultLibraryId,
      media_id: id,
    });
    expect((await closureOf(sql, reader.defaultLibraryId, id)).listed).toBe(true);
  });

  test('a listing of a media that does not exist', async () => {
    const gone = newId();
    await sql`insert into library_media (library_id, media_id, is_derived) values (${library}, ${gone}, false)`;
    const found = await auditOf(sql);
    expect(found).toContainEqual({ kind: 'listed_without_media', library_id: library, media_id: gone });
    await auditOf(sql, { repair: true });
  });

  test('a backfill of somebody who is not in the library', async () => {
    const stranger = await createReader(app);
    const key = {
      default_library_id: stranger.defaultLibraryId,
      source_library_id: library,
      user_id: stranger.id,
    };
    await sql`
      insert into default_library_backfill_jobs (default_library_id, source_library_id, user_id)
      values (${key.default_library_id}, ${key.source_library_id}, ${key.user_id})`;
    await findsAndMends({ kind: 'backfill_without_membership', ...key });
  });
});

describe('the audit reports and does not repair', () => {
  test('an owner who is not an admin', async () => {
    await sql`update memberships set role = 'member' where library_id = ${library} and user_id = ${owner.id}`;
    const expected = [{ kind: 'library_owner_not_admin', library_id: library, user_id: owner.id }];
    expect(await auditOf(sql, { repair: true })).toEqual(expected);
    expect(await auditOf(sql)).toEqual(expected);
    await sql`update memberships set role = 'admin' where library_id = ${library} and user_id = ${owner.id}`;
  });

  test('a default library with another member', async () => {
    await sql`
      insert into memberships (library_id, user_id, role) values (${owner.defaultLibraryId}, ${member.id}, 'member')`;
    expect(await auditOf(sql)).toContainEqual({
      kind: 'default_library_shared',
      library_id: owner.defaultLibraryId,
      user_id: member.id,
    });
    await sql`delete from memberships where library_id = ${owner.defaultLibraryId} and user_id = ${member.id}`;
  });
});

test('edges of a pending backfill are not reported; those of a failed one are', async () => {
  const late = await createReader(app);
  await join(owner, library, late);
  expect(await auditOf(sql)).toEqual([]);
  await sql`
    update default_library_backfill_jobs
    set status = 'failed', last_error_code = 'E_BACKFILL_FAILED', finished_at = now()
    where user_id = ${late.id}`;
  expect(await auditOf(sql)).toMatchObject([{ kind: 'closure_edge_missing' }]);
  await auditOf(sql, { repair: true });
});

test('checks more libraries than fit into one batch', async () => {
  for (let n = 0; n < 120; n++) await createReader(app);
  const last = await createReader(app);
  await sql`insert into library_media (library_id, media_id, is_derived) values (${last.defaultLibraryId}, ${media}, true)`;
  expect(await auditOf(sql, { repair: true })).toEqual([
    { kind: 'default_media_unjustified', default_library_id: last.defaultLibraryId, media_id: media },
  ]);
});

test('the audit job returns the number of documents and the differences, and repairs them', {
  tags: 'slow',
}, async () => {
  await sql`delete from default_library_closure_edges where default_library_id = ${member.defaultLibraryId}`;
  const audit = async (payload: object) => {
    const key = DEV_KEYS.operator;
    const submitted = await app.call('POST', '/api/v1/jobs/submit', {
      key,
      body: { job_type: 'integrity_audit', payload },
    });
    await runNexus(['worker', '--once', '--queues', 'default'], {
      env: { NEXUS_DATABASE_URL: database.url },
    });
    return (await app.call('GET', `/api/v1/jobs/${submitted.body.job_id}`, { key })).body.result;
  };
  const found = await audit({ repair: true });
  expect(found).toMatchObject({
    document_count: (await sql`select from media`).length,
    inconsistency_count: found.inconsistencies.length,
    repaired: true,
  });
  expect(found.inconsistencies).toContainEqual({
    kind: 'closure_edge_missing',
    default_library_id: member.defaultLibraryId,
    media_id: media,
    source_library_id: library,
  });
  expect(await audit({})).toMatchObject({ inconsistencies: [], inconsistency_count: 0, repaired: false });
});
