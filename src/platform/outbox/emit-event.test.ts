import { afterEach, describe, expect, test } from 'vitest';
import { useDatabase } from '../../../test/support/database.ts';
import { emit, readEvent, someEvent } from '../../../test/support/outbox.ts';
import { blockedOrDone } from '../../../test/support/races.ts';
import { transaction } from '../database/transaction.ts';
import { newId } from '../ids.ts';
import { emitEvent, emitEvents, type NewEvent } from './emit-event.ts';

const database = useDatabase();
const { sql } = database;

afterEach(() => sql`delete from outbox_event`);

const count = async () => (await sql<[{ n: number }]>`select count(*) as n from outbox_event`)[0].n;

describe('emitting', () => {
  test('writes a pending event that is due immediately, with its version', async () => {
    const event = await emit(sql, someEvent({ requestId: 'r-1' }));
    expect(event).toMatchObject({
      event_type: 'library.created',
      schema_version: 1,
      status: 'pending',
      attempts: 0,
      max_attempts: 5,
      delivered_at: null,
      error_message: null,
      request_id: 'r-1',
    });
    expect(event.next_attempt_at).toEqual(event.created_at);
    expect(await readEvent(sql, event.id)).toMatchObject({ id: event.id, status: 'pending' });
  });

  test('is undone when its transaction is rolled back', async () => {
    const failure = new Error('changed my mind');
    await expect(
      transaction(sql, async (tx) => {
        await emitEvent(tx, someEvent());
        await tx`insert into audit_logs (id, action, actor) values (${newId()}, 'x', 'y')`;
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await count()).toBe(0);
  });

  test('of a type that happens once uses the aggregate as key', async () => {
    const event = await emit(sql, someEvent());
    expect(event.idempotency_key).toBe(`library:${event.aggregate_id}`);
    const deleted = await emit(sql, {
      eventType: 'library.deleted',
      aggregateType: 'library',
      aggregateId: event.aggregate_id,
      payload: { library_id: event.aggregate_id, owner_user_id: newId() },
    });
    expect(deleted.id).not.toBe(event.id);
    expect(await count()).toBe(2);
  });

  describe('of a repeatable type', () => {
    const repeatable = (library_id: string): NewEvent<'library.member_removed'> => ({
      eventType: 'library.member_removed',
      aggregateType: 'library',
      aggregateId: library_id,
      payload: { library_id, user_id: newId() },
    });

    test('writes an event each time, in one transaction and in several', async () => {
      const library = newId();
      await transaction(sql, async (tx) => {
        await emitEvent(tx, repeatable(library));
        await emitEvents(tx, [repeatable(library), repeatable(library)] as NewEvent[]);
      });
      await emit(sql, repeatable(library));
      expect(await count()).toBe(4);
    });

    test('makes the key from the transaction and the position in it', async () => {
      const library = newId();
      const transactionId = await transaction(sql, async (tx) => {
        await emitEvents(tx, [repeatable(library), repeatable(library)] as NewEvent[]);
        const [row] = await tx<[{ id: string }]>`
          select concat_ws(':', pg_current_xact_id(), extract(epoch from now())) as id`;
        return row.id;
      });
      const emitted = await sql`select idempotency_key from outbox_event order by id`;
      expect(emitted.map(({ idempotency_key }) => idempotency_key)).toEqual([
        `library:${library}:${transactionId}:0`,
        `library:${library}:${transactionId}:1`,
      ]);
    });

    test('writes one event when its transaction is retried after a deadlock', async () => {
      let tries = 0;
      await transaction(sql, async (tx) => {
        tries += 1;
        await emitEvent(tx, repeatable(newId()));
        if (tries === 1) await tx`do $$ begin raise sqlstate '40P01'; end $$`;
      });
      expect([tries, await count()]).toEqual([2, 1]);
    });
  });

  test('with different keys writes different events', async () => {
    const aggregateId = newId();
    await emit(sql, someEvent({ aggregateId, idempotencyKey: 'first' }));
    const second = await emit(sql, someEvent({ aggregateId, idempotencyKey: 'second' }));
    expect(second.idempotency_key).toBe('second');
    expect(await count()).toBe(2);
  });

  test('again returns the first event and leaves the transaction usable', async () => {
    const first = await emit(sql, someEvent());
    const again = await transaction(sql, async (tx) => {
      const again = await emitEvent(
        tx,
        someEvent({
          aggregateId: first.aggregate_id,
          payload: { library_id: first.aggregate_id, name: 'Another', owner_user_id: newId() },
        }),
      );
      await emitEvent(tx, someEvent());
      return again;
    });
    expect(again).toEqual(first);
    expect(await count()).toBe(2);
  });

  test('twice in parallel: one waits for the other, and both get the same event', async () => {
    const [a, b] = database.twoConnections();
    const event = someEvent();
    let second: Promise<{ id: string }> | undefined;
    const first = await transaction(a, async (tx) => {
      const emitted = await emitEvent(tx, event);
      second = emit(b, event);
      expect(await blockedOrDone(sql, second)).toBe('blocked');
      return emitted;
    });
    expect((await second)?.id).toBe(first.id);
    expect(await count()).toBe(1);
  });

  test('many at once keeps their order, and writes a repeated one once', async () => {
    const [x, y] = [someEvent(), someEvent()];
    await transaction(sql, (tx) => emitEvents(tx, [y, x, y] as NewEvent[]));
    const written = await sql`select aggregate_id from outbox_event order by id`;
    expect(written.map(({ aggregate_id }) => aggregate_id)).toEqual([y.aggregateId, x.aggregateId]);
  });

  test('many at once that cannot be written rolls the transaction back', async () => {
    const event = someEvent({ idempotencyKey: 'x'.repeat(301) });
    await expect(
      transaction(sql, async (tx) => {
        await emitEvent(tx, someEvent());
        await emitEvents(tx, [event as NewEvent]);
      }),
    ).rejects.toThrow();
    expect(await count()).toBe(0);
  });
});

describe('a payload', () => {
  test('may contain dates, bigints and decimals', async () => {
    const library_id = newId();
    const event = await emit(sql, {
      ...someEvent({ aggregateId: library_id }),
      payload: { library_id, name: new Date('2026-01-02T03:04:05.006Z'), owner_user_id: newId() },
    });
    expect(event.payload.name).toBe('2026-01-02T03:04:05.006Z');
    const large = await emit(sql, {
      ...someEvent({ aggregateId: newId() }),
      payload: { library_id, name: 2n ** 64n, owner_user_id: newId() },
    });
    expect(large.payload.name).toBe('18446744073709551616');
    const [{ decimal }] = await sql<[{ decimal: string }]>`select 0.10::numeric as decimal`;
    const exact = await emit(sql, {
      ...someEvent({ aggregateId: newId() }),
      payload: { library_id, name: decimal, owner_user_id: newId() },
    });
    expect(exact.payload.name).toBe('0.10');
  });

  test.each([
    ['a NUL character', { name: 'a\0b' }, 'name cannot be stored'],
    ['NaN', { name: Number.NaN }, 'name cannot be stored'],
    ['a value that its schema refuses', { name: 7 }, 'must be text'],
  ])('with %s is refused and leaves the transaction usable', async (_case, odd, sentence) => {
    await transaction(sql, async (tx) => {
      const event = someEvent();
      const payload = { ...event.payload, ...odd } as typeof event.payload;
      await expect(emitEvent(tx, { ...event, payload })).rejects.toThrow(sentence);
      await emitEvent(tx, event);
    });
    expect(await count()).toBe(1);
  });
});

test('constraints refuse a failed event with a due time, a pending one without, and a repeated key', async () => {
  const { id } = await emit(sql, someEvent());
  await expect(sql`update outbox_event set status = 'failed' where id = ${id}`).rejects.toThrow(
    'outbox_event_due_while_pending',
  );
  await expect(sql`update outbox_event set next_attempt_at = null where id = ${id}`).rejects.toThrow(
    'outbox_event_due_while_pending',
  );
  await expect(
    sql`insert into outbox_event (id, event_type, schema_version, aggregate_type, aggregate_id, payload, idempotency_key)
      select ${newId()}, event_type, 1, 'x', 'y', '{}', idempotency_key from outbox_event`,
  ).rejects.toThrow('outbox_event_idempotency_key');
});
