import { beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../../../../test/support/app.ts';
import { useDatabase } from '../../../../test/support/database.ts';
import { silentLog as log } from '../../../../test/support/jobs.ts';
import { createReader } from '../../../../test/support/libraries.ts';
import type { ProcessingStatus } from '../../../contract/media.ts';
import { transaction } from '../../../platform/database/transaction.ts';
import { newId } from '../../../platform/ids.ts';
import * as lifecycle from './lifecycle.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const jobId = newId();
const FAILURE = { stage: 'extract', code: 'E_TIMEOUT', message: 'It took too long.' } as const;
let mediaId: string;

const row = async () => (await sql`select * from media where id = ${mediaId}`)[0];
const inTransaction = <T>(work: Parameters<typeof transaction<T>>[1]) => transaction(sql, work);
const start = (job = jobId) => inTransaction((tx) => lifecycle.workerStartAttempt(tx, mediaId, job, log));
const fail = (failure: lifecycle.MediaFailure = FAILURE) =>
  inTransaction((tx) => lifecycle.markFailed(tx, mediaId, failure, log));
const read = () => inTransaction((tx) => lifecycle.markReadyForReading(tx, mediaId, log));
const retry = () => inTransaction((tx) => lifecycle.retryMedia(tx, mediaId));

beforeEach(async () => {
  const reader = await createReader(app);
  mediaId = newId();
  await sql`
    insert into media (id, kind, title, given_title, created_by_user_id, job_id)
    values (${mediaId}, 'web_article', 'a page', 'a page', ${reader.id}, ${jobId})`;
});

async function bring(status: ProcessingStatus): Promise<void> {
  if (status === 'pending') return;
  await start();
  if (status === 'extracting') return;
  if (status === 'failed') return void (await fail());
  await read();
  if (status === 'ready_for_reading') return;
  await inTransaction((tx) => lifecycle.workerStartIndexing(tx, mediaId, jobId, log));
  if (status === 'ready') await inTransaction((tx) => lifecycle.markReady(tx, mediaId, log));
}

describe('workerStartAttempt', () => {
  test('moves from pending to extracting and counts the attempt', async () => {
    expect(await start()).toBe(true);
    expect(await row()).toMatchObject({ processing_status: 'extracting', processing_attempts: 1 });
    expect((await row())?.processing_started_at).toBeInstanceOf(Date);
  });

  test('lets the same job go on after its worker died, and counts nothing', async () => {
    await start();
    expect(await start()).toBe(true);
    expect(await row()).toMatchObject({ processing_attempts: 1 });
  });

  test.each(['ready_for_reading', 'embedding', 'ready', 'failed'] as const)(
    'is a no-op for %s',
    async (status) => {
      await bring(status);
      const before = await row();
      expect(await start()).toBe(false);
      expect(await row()).toEqual(before);
    },
  );

  test('is a no-op for a job that is not the one in charge', async () => {
    expect(await start(newId())).toBe(false);
    expect(await row()).toMatchObject({ processing_status: 'pending', processing_attempts: 0 });
  });

  test('is a no-op for a media that is gone', async () => {
    await sql`delete from media where id = ${mediaId}`;
    expect(await start()).toBe(false);
  });
});

describe('markReadyForReading', () => {
  test('moves from extracting only', async () => {
    expect(await read()).toBe(false);
    expect((await row())?.processing_status).toBe('pending');
    await start();
    expect(await read()).toBe(true);
    expect((await row())?.processing_status).toBe('ready_for_reading');
    expect((await row())?.processing_completed_at).toBeInstanceOf(Date);
    expect(await read()).toBe(false);
  });
});

describe('markFailed', () => {
  test('sets every failure field', async () => {
    await start();
    expect(await fail()).toBe(true);
    expect(await row()).toMatchObject({
      processing_status: 'failed',
      failure_stage: 'extract',
      last_error_code: 'E_TIMEOUT',
      last_error_message: 'It took too long.',
    });
    expect((await row())?.failed_at).toBeInstanceOf(Date);
  });

  test.each(['ready_for_reading', 'ready'] as const)(
    'ignores a late failure of what is %s',
    async (status) => {
      await bring(status);
      const before = await row();
      expect(await fail()).toBe(false);
      expect(await row()).toEqual(before);
    },
  );

  test('of the search index leaves it readable', async () => {
    await bring('embedding');
    expect(await fail({ stage: 'embed', code: 'E_EXTRACTION_FAILED', message: 'No.' })).toBe(true);
    expect(await row()).toMatchObject({ processing_status: 'failed', failure_stage: 'embed' });
  });
});

describe('retryMedia', () => {
  test('leaves no residue: the row is as a fresh one, but for its attempts', async () => {
    const fresh = await row();
    await start();
    await sql`
      update media set title = 'half', author = 'x', plain_text = 'y', word_count = 3, outline = '[{}]' where id = ${mediaId}`;
    await sql`
      insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
      values (${newId()}, ${mediaId}, 0, '', '')`;
    await sql`insert into media_search (media_id, idx, document) values (${mediaId}, 0, '')`;
    await fail();
    expect(await retry()).toBe('pending');
    expect({ ...(await row()), updated_at: null }).toEqual({
      ...fresh,
      processing_attempts: 1,
      updated_at: null,
    });
    for (const table of [sql`media_fragments`, sql`media_search`]) {
      expect(await sql`select from ${table} where media_id = ${mediaId}`).toHaveLength(0);
    }
  });

  test('of a failed index goes back to where it can be read, with its fragments', async () => {
    await bring('embedding');
    await sql`
      insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
      values (${newId()}, ${mediaId}, 0, '', '')`;
    await fail({ stage: 'embed', code: 'E_EXTRACTION_FAILED', message: 'No.' });
    expect(await retry()).toBe('ready_for_reading');
    expect(await row()).toMatchObject({
      processing_status: 'ready_for_reading',
      failure_stage: null,
      failed_at: null,
    });
    expect(await sql`select from media_fragments where media_id = ${mediaId}`).toHaveLength(1);
  });

  test.each(['pending', 'extracting', 'ready_for_reading', 'embedding', 'ready'] as const)(
    'of what is %s is refused and changes nothing',
    async (status) => {
      await bring(status);
      const before = await row();
      await expect(retry()).rejects.toMatchObject({ code: 'E_INVALID_STATE' });
      expect(await row()).toEqual(before);
    },
  );
});

test('nothing is committed by these functions: what the caller rolls back did not happen', async () => {
  const undone = transaction(sql, async (tx) => {
    await lifecycle.workerStartAttempt(tx, mediaId, jobId, log);
    throw new Error('changed my mind');
  });
  await expect(undone).rejects.toThrow('changed my mind');
  expect(await row()).toMatchObject({ processing_status: 'pending', processing_attempts: 0 });
});
