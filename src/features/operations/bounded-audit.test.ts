import { afterAll, beforeAll, expect, test } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/jobs.ts';
import { createLibrary, createReader, type Reader } from '../../../test/support/libraries.ts';
import { saveReady } from '../../../test/support/saved-media.ts';
import { openDatabase } from '../../platform/database/database.ts';
import { createListener } from '../../platform/database/listener.ts';
import { transaction } from '../../platform/database/transaction.ts';
import type { IntegrityCheck } from '../../platform/integrity/check.ts';
import { createJobEngine } from '../../platform/jobs/engine.ts';
import { createJobQueue } from '../../platform/jobs/queue.ts';
import { findJob } from '../../platform/jobs/read/store.ts';
import { createClosureCheck } from '../libraries/closure/closure-audit.ts';
import { createSearchCheck } from '../media/integrity.ts';
import { defineIntegrityAudit } from './integrity-audit.ts';

const LISTED = 8000;
const MEMBERS = 5;
const DOCUMENTS = 100;
const WORDS_EACH = 3000;
const TIMEOUT_MS = 200;

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

/** A pool with a short statement timeout, which behaves like an overloaded server. */
const impatient = openDatabase(database.target, {
  poolSize: 2,
  statementTimeoutSeconds: TIMEOUT_MS / 1000,
  idleTransactionTimeoutSeconds: 60,
  applicationName: 'nexus test',
});
afterAll(() => impatient.end());

let people: Reader[];
let library: string;

beforeAll(async () => {
  people = await Promise.all(Array.from({ length: MEMBERS }, () => createReader(app)));
  const [owner] = people;
  if (!owner) throw new Error('No readers were created.');
  library = await createLibrary(owner);
  const words = Array.from({ length: WORDS_EACH }, (_, index) => `word${(index * 7919) % 10_007}`).join(' ');
  for (let n = 0; n < DOCUMENTS; n++) await saveReady(sql, owner, { texts: [`${n} ${words}`] });
  await fillLibrary(owner.id);
}, 240_000);

/** Fills a library with many media that all members hold. Triggers are disabled, because they take too long. */
async function fillLibrary(ownerId: string): Promise<void> {
  await transaction(sql, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into memberships (library_id, user_id, role)
      select ${library}, id, 'member' from unnest(${people.map(({ id }) => id)}::uuid[]) as person (id)
      where id <> ${ownerId}`;
    await tx`
      insert into media (id, kind, title, created_by_user_id, charged_user_id)
      select gen_random_uuid(), 'web_article', 'Listed ' || n, ${ownerId}, ${ownerId}
      from generate_series(1, ${LISTED}) as n`;
    await tx`
      insert into library_media (library_id, media_id, is_derived, added_by_user_id)
      select ${library}, id, false, ${ownerId} from media where title like 'Listed %'`;
    await tx`
      insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
      select users.default_library_id, media.id, ${library}
      from media
      cross join users
      where media.title like 'Listed %' and users.id = any(${people.map(({ id }) => id)}::uuid[])`;
    await tx`
      insert into library_media (library_id, media_id, is_derived)
      select default_library_id, media_id, true from default_library_closure_edges`;
  });
  await sql`analyze`;
}

async function audit(checks: IntegrityCheck[], repair: boolean) {
  const type = defineIntegrityAudit(impatient, checks);
  const listener = createListener({ sql, log: silentLog, listenAt: undefined });
  const queue = createJobQueue({ sql, log: silentLog, listener, leaseSeconds: 60 });
  createJobEngine({ queue, types: [type], retentionDays: 30 });
  const { id } = await queue.runInline({ type, payload: { repair } });
  await queue.close();
  return findJob(sql, id);
}

test(`an audit finds and repairs damage in a large database with a statement timeout of ${TIMEOUT_MS} ms`, {
  tags: 'slow',
  timeout: 240_000,
}, async () => {
  const checks = [createClosureCheck(impatient), createSearchCheck(impatient)];
  const [, member] = people;
  await sql`
    delete from default_library_closure_edges
    where ctid = any(array(
      select ctid from default_library_closure_edges
      where default_library_id = ${member?.defaultLibraryId ?? ''}
      limit 3
    ))`;
  await sql`delete from media_search where ctid = any(array(select ctid from media_search limit 2))`;
  // The rows of the deleted edges are still listed, now without a reason.
  const counts = { closure_edge_missing: 3, default_media_unjustified: 3, search_row_missing: 2 };
  const found = await audit(checks, false);
  expect(found?.error_text).toBeNull();
  expect(found?.result).toMatchObject({
    document_count: LISTED + DOCUMENTS,
    counts,
    inconsistency_count: 8,
  });
  await audit(checks, true);
  expect((await audit(checks, false))?.result).toMatchObject({ counts: {}, inconsistency_count: 0 });
});
