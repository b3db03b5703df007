import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure, useApp } from '../../../test/support/app.ts';
import { append, fork, HTML, insert, replay, TEXT, textOf } from '../../../test/support/branches.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { createReader, type Reader } from '../../../test/support/libraries.ts';
import type { Edit } from '../../contract/branches.ts';
import { textHash } from './edit.ts';
import { SNAPSHOT_EVERY } from './text.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

let reader: Reader;
let document: string;

beforeAll(async () => {
  reader = await createReader(app);
  document = await saveDocument(sql, reader, { html: HTML });
});

describe('a replay', () => {
  test('recomputes the branch and returns its hash and event count', async () => {
    const { id: branchId } = await fork(reader, { media_id: document });
    const { body } = await append(reader, branchId, 0, [insert(0, 'x'), { kind: 'normalize', form: 'NFKD' }]);
    const result = { branch_id: branchId, text_hash: body.data.text_hash, event_count: 2 };
    expect(await replay(reader, branchId)).toMatchObject({
      status: 'succeeded',
      result,
      artifacts: [{ artifact_type: 'branch_replay_result', artifact_payload: result }],
    });
  });

  test('of a long branch checks each snapshot', async () => {
    const { id: branchId } = await fork(reader, { media_id: document });
    const count = 2 * SNAPSHOT_EVERY + 10;
    for (let after = 0; after < count; after += 50) {
      const events = Array.from({ length: Math.min(50, count - after) }, (_, n) =>
        insert(0, `${after + n} `),
      );
      expect((await append(reader, branchId, after, events)).status).toBe(201);
    }
    const snapshots =
      await sql`select position from branch_snapshots where branch_id = ${branchId} order by position`;
    expect(snapshots.map(({ position }) => position)).toEqual([0, SNAPSHOT_EVERY, 2 * SNAPSHOT_EVERY]);
    expect((await textOf(reader, branchId, SNAPSHOT_EVERY + 1)).text).toMatch(
      new RegExp(`^${SNAPSHOT_EVERY} `),
    );
    expect((await textOf(reader, branchId, 2 * SNAPSHOT_EVERY)).text).toMatch(
      new RegExp(`^${2 * SNAPSHOT_EVERY - 1} `),
    );
    expect(await replay(reader, branchId)).toMatchObject({
      status: 'succeeded',
      result: { event_count: count },
    });

    await sql`
      update branch_snapshots set text = text || '!'
      where branch_id = ${branchId} and position = ${SNAPSHOT_EVERY}`;
    expect(
      await reader.get(`/api/v1/branches/${branchId}/text?position=${SNAPSHOT_EVERY + 1}`),
    ).toMatchObject(failure(409, 'E_BRANCH_DAMAGED'));
    expect((await replay(reader, branchId)).error_text).toContain(
      `the text kept after event ${SNAPSHOT_EVERY} was altered`,
    );
    await sql`delete from branch_snapshots where branch_id = ${branchId} and position = ${SNAPSHOT_EVERY}`;
    expect((await replay(reader, branchId)).error_text).toContain(`after event ${SNAPSHOT_EVERY} is missing`);
    // An altered event is distinguished from events after an intact snapshot.
    await sql`update branch_events set text = 'X ' where branch_id = ${branchId} and position in (70, 135)`;
    const { error_text } = await replay(reader, branchId);
    expect(error_text).toContain('event 70 was altered');
    expect(error_text).toContain('event 135 was altered');
    expect(error_text).not.toContain('event 71');
  });

  const alter = {
    event: (id: string) =>
      sql`update branch_events set text = 'TWO' where branch_id = ${id} and position = 2`,
    'event out of range': (id: string) =>
      sql`update branch_events set at = 5000 where branch_id = ${id} and position = 2`,
    hash: (id: string) =>
      sql`update branch_events set text_hash = 'feed' where branch_id = ${id} and position = 2`,
    'last hash': (id: string) =>
      sql`update branch_events set text_hash = 'feed' where branch_id = ${id} and position = 3`,
    'last event': (id: string) =>
      sql`update branch_events set text = 'tres' where branch_id = ${id} and position = 3`,
    base: (id: string) => sql`update branch_snapshots set text = 'Twice' where branch_id = ${id}`,
    'missing event': (id: string) => sql`delete from branch_events where branch_id = ${id} and position = 2`,
    'missing last event': (id: string) =>
      sql`delete from branch_events where branch_id = ${id} and position = 3`,
    head: (id: string) => sql`update branches set text_hash = 'feed' where id = ${id}`,
  };
  test.each<[keyof typeof alter, RegExp]>([
    ['event', /: event 2 was altered: it recorded [0-9a-f]{64}, and leads to [0-9a-f]{64}\.$/],
    ['event out of range', /: event 2 was altered: .* it reaches to 5000/],
    ['hash', /: the hash of event 2 was altered: it says feed, and the text has [0-9a-f]{64}\.$/],
    ['last hash', /: the hash of event 3 was altered: it says feed/],
    ['last event', /: event 3 was altered/],
    ['base', /: the text that was forked has the hash/],
    ['missing event', /: event 2 is missing\.$/],
    ['missing last event', /: event 3 is missing\.$/],
    ['head', /: the branch says that it ends with feed/],
  ])('finds an altered %s and names it', async (what, sentence) => {
    const { id: branchId } = await fork(reader, { media_id: document });
    await append(reader, branchId, 0, [insert(0, 'one '), insert(0, 'two '), insert(0, 'three ')]);
    await alter[what](branchId);
    if (what !== 'head') {
      const { status } = await reader.get(`/api/v1/branches/${branchId}/text`);
      expect(status).toBe(what === 'hash' ? 200 : 409);
    }
    const job = await replay(reader, branchId);
    expect(job).toMatchObject({ status: 'failed', error_code: 'E_BRANCH_DAMAGED' });
    expect(job.error_text).toMatch(sentence);
  });

  test('finds a document that differs from the forked text', async () => {
    const altered = await saveDocument(sql, reader, { html: HTML });
    const { id: branchId } = await fork(reader, { media_id: altered });
    await sql`update media set plain_text = 'another' where id = ${altered}`;
    expect((await replay(reader, branchId)).error_text).toContain('what it was forked from has the hash');
  });

  test('of any edits equals the result on a list of code points', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
    const step = fc.record({
      kind: fc.constantFrom('insert', 'delete', 'replace', 'normalize'),
      at: fc.nat(),
      length: fc.nat(),
      text,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 20 }), { maxLength: 6 }),
        async (batches) => {
          const { id: branchId } = await fork(reader, { media_id: document });
          const states = [TEXT];
          for (const batch of batches) {
            const after = states.length - 1;
            const events = batch.map((wanted): Edit => {
              const before = [...(states.at(-1) ?? '')];
              const at = wanted.at % (before.length + 1);
              const length = Math.min(1 + (wanted.length % 10), before.length - at);
              const isAll = wanted.kind === 'normalize' || (wanted.kind !== 'insert' && length === 0);
              if (isAll) {
                states.push(before.join('').normalize('NFD'));
                return { kind: 'normalize', form: 'NFD' };
              }
              const removed = wanted.kind === 'insert' ? 0 : length;
              before.splice(at, removed, ...(wanted.kind === 'delete' ? [] : wanted.text));
              states.push(before.join(''));
              if (wanted.kind === 'insert') return { kind: 'insert', at, text: wanted.text };
              if (wanted.kind === 'delete') return { kind: 'delete', at, length };
              return { kind: 'replace', at, length, text: wanted.text };
            });
            expect((await append(reader, branchId, after, events)).status).toBe(201);
          }
          const last = states.length - 1;
          expect(await replay(reader, branchId)).toMatchObject({
            result: { text_hash: textHash(states[last] ?? ''), event_count: last },
          });
          const middle = Math.floor(last / 2);
          expect((await textOf(reader, branchId, middle)).text).toBe(states[middle]);
          const { body } = await reader.get(`/api/v1/branches/${branchId}/compare?from=${middle}`);
          expect(body.data.is_equal).toBe(states[middle] === states[last]);
        },
      ),
      { numRuns: 15 },
    );
  });
});
