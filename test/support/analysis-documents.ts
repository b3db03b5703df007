import { addToDefaultLibrary } from '../../src/features/libraries/closure/closure.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { transaction } from '../../src/platform/database/transaction.ts';
import { newId } from '../../src/platform/ids.ts';
import type { TestApp } from './app.ts';
import type { Person } from './libraries.ts';

/** Saves a document with these fragments for a person. */
export async function saveDocument(sql: Database, { user }: Person, ...texts: string[]): Promise<string> {
  const id = newId();
  await transaction(sql, async (tx) => {
    await tx`
      insert into media (id, kind, title, created_by_user_id, processing_status, plain_text)
      values (${id}, 'web_article', 'A document', ${user.id}, 'ready', ${texts.join('\n\n')})`;
    await addToDefaultLibrary(tx, user.default_library_id, [{ media_id: id }], { userId: user.id });
    for (const [idx, text] of texts.entries()) {
      await tx`
        insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
        values (${newId()}, ${id}, ${idx}, '', ${text})`;
    }
  });
  return id;
}

/** Runs due jobs in this process until there are none. */
export async function workOff(app: TestApp): Promise<void> {
  const worker = await app.engine.work({
    concurrency: 2,
    pollSeconds: 0.1,
    graceSeconds: 10,
    queues: ['default'],
    untilEmpty: true,
  });
  await worker.stopped;
  await worker.stop();
}
