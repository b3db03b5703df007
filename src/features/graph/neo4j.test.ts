/**
 * Waits for timeouts.
 *
 * @module-tag slow
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { startBoltServer } from '../../../test/support/bolt-server.ts';
import { cypherErrors } from '../../../test/support/cypher.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { startRawSite } from '../../../test/support/internet.ts';
import { silentLog } from '../../../test/support/jobs.ts';
import { createReader, type Reader } from '../../../test/support/libraries.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { createDispatcher } from '../../platform/outbox/dispatcher.ts';
import { defineSubscriber } from '../../platform/outbox/subscriber.ts';
import { emitMediaEvents } from '../media/events.ts';
import { createNeo4jMirror } from './neo4j.ts';

const bolt = await startBoltServer();
/** Accepts connections and never answers. */
const silent = await startRawSite(() => {});

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
let reader: Reader;
beforeAll(async () => {
  reader = await createReader(app);
});

test('the grammar refuses invalid statements', () => {
  expect(cypherErrors('match (a) detach delete a')).toEqual([]);
  expect(cypherErrors('match (a) detach a')).toHaveLength(1);
});

describe('a Neo4j', () => {
  const mirrors: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(mirrors.map((mirror) => mirror.close())));

  test('gets the current state, in one transaction for each event', async () => {
    const mirror = createNeo4jMirror({
      sql,
      graph: app.services.graph,
      options: { url: `bolt://${bolt.host}`, username: 'neo4j', password: 'secret' },
    });
    mirrors.push(mirror);
    const id = await saveDocument(sql, reader, {
      html: '<p>We met Ada Lovelace. <a href="https://example.org/engine">See</a></p>',
      title: 'Engines',
    });
    const tell = (event_type: 'media.ready' | 'media.deleted') =>
      mirror.subscriber.handler(
        { event_type, payload: { media_id: id } } as never,
        new AbortController().signal,
      );
    await tell('media.ready');
    const [BEGIN, RUN, COMMIT] = [0x11, 0x10, 0x12];
    const sent = () => bolt.messages.splice(0).filter(({ tag }) => [BEGIN, RUN, COMMIT].includes(tag));
    const written = sent();
    expect(written.map(({ tag }) => tag)).toEqual([BEGIN, RUN, RUN, RUN, RUN, COMMIT]);
    for (const { tag, statement } of written) expect(statement !== undefined).toBe(tag === RUN);
    expect(written.flatMap(({ statement = '' }) => (statement ? cypherErrors(statement) : []))).toEqual([]);
    for (const { statement = '', text } of written) {
      for (const [, parameter = ''] of statement.matchAll(/\$(\w+)/g)) {
        expect(text.slice(text.indexOf(statement) + statement.length)).toContain(parameter);
      }
    }
    for (const said of [id, 'Engines', 'Ada Lovelace', 'https://example.org/engine']) {
      expect(written[2]?.text).toContain(said);
    }
    await sql`delete from library_media where media_id = ${id}`;
    await sql`delete from default_library_intrinsics where media_id = ${id}`;
    await sql`delete from media where id = ${id}`;
    // A late event about a deleted document removes it.
    for (const event of ['media.deleted', 'media.ready'] as const) {
      await tell(event);
      const deleted = sent();
      expect(deleted.map(({ tag }) => tag)).toEqual([BEGIN, RUN, COMMIT]);
      expect(deleted[1]?.statement).toMatch(/detach delete document$/);
      expect(cypherErrors(deleted[1]?.statement ?? '')).toEqual([]);
      expect(deleted[1]?.text).toContain(id);
    }
  });

  test.each([
    ['that cannot be reached', 'bolt://127.0.0.1:9'],
    ['that says nothing', `bolt://${silent.host}`],
  ])('%s is retried by the outbox, and blocks nobody', async (_what, url) => {
    await sql`update outbox_event set status = 'delivered', delivered_at = now(), next_attempt_at = null, claim_id = null where status = 'pending'`;
    const { project } = app.services.graph;
    const options = { url, username: 'neo4j', password: 'secret' };
    const mirror = createNeo4jMirror({ sql, graph: { project }, options });
    mirrors.push(mirror);
    const told: string[] = [];
    const other = defineSubscriber('other', {
      eventTypes: ['media.ready'],
      handler: async ({ aggregate_id }) => void told.push(aggregate_id),
    });
    const dispatcher = createDispatcher({ sql, log: silentLog, subscribers: [mirror.subscriber, other] });
    const saved = await Promise.all([1, 2, 3].map(() => saveDocument(sql, reader, { html: '<p>Text</p>' })));
    const tell = (id: string) =>
      transaction(sql, (tx) => emitMediaEvents(tx, 'media.ready', [{ media_id: id, kind: 'web_article' }]));
    await tell(saved[0] as string);
    await dispatcher.deliverDue();
    // From now on it fails immediately, without a connection.
    const connections = silent.connections;
    await Promise.all(saved.slice(1).map(tell));
    await dispatcher.deliverDue();
    expect(silent.connections).toBe(connections);
    expect(told.toSorted()).toEqual(saved.toSorted());
    const events = await sql`
      select status, attempts, error_message from outbox_event
      where event_type = 'media.ready' and aggregate_id = any(${saved}::text[])`;
    expect(events).toHaveLength(3);
    for (const event of events) {
      expect(event).toMatchObject({
        status: 'pending',
        attempts: 1,
        error_message: expect.stringMatching(/^neo4j: /),
      });
    }
    const [delivery] = await sql`
      select from outbox_delivery where subscriber = 'other' and delivered_at is not null`;
    expect(delivery).toBeDefined();
  });
});
