import type { Driver } from 'neo4j-driver';
import type { Database } from '../../platform/database/database.ts';
import { defineSubscriber } from '../../platform/outbox/subscriber.ts';
import type { Graph } from './graph.ts';
import { findGraphDocument } from './store.ts';

export interface Neo4jOptions {
  url: string;
  username: string;
  password: string;
}

interface MirrorDependencies {
  sql: Database;
  graph: Pick<Graph, 'project'>;
  options: Neo4jOptions;
}

const TIMEOUT_MS = 5000;
/** After a failure nothing is sent for this long: a server that hangs must not delay other events. */
const PAUSE_MS = 10_000;

/** Replaces what was there before, so that running it twice or late has the same result as once. */
const WRITE = [
  `merge (document:Document {id: $media_id})
   set document.title = $title, document.kind = $kind, document.url = $canonical_url
   with document
   optional match (document)-[old:MENTIONS|LINKS_TO|AT]->()
   delete old`,
  `match (document:Document {id: $media_id})
   unwind $entities as mention
   merge (entity:Entity {kind: mention.kind, entity: mention.entity})
   on create set entity.name = mention.name
   merge (document)-[mentions:MENTIONS]->(entity)
   set mentions.count = mention.mentions`,
  `match (document:Document {id: $media_id})
   unwind $links as url
   merge (page:Page {url: url})
   merge (document)-[:LINKS_TO]->(page)`,
  `match (document:Document {id: $media_id})
   where document.url is not null
   merge (page:Page {url: document.url})
   merge (document)-[:AT]->(page)`,
];
const DELETE = 'match (document:Document {id: $media_id}) detach delete document';

/** Copies the current state of a document to Neo4j with each of its events. The outbox retries failed copies. */
export function createNeo4jMirror({ sql, graph, options }: MirrorDependencies) {
  let connecting: Promise<Driver> | undefined;
  let failure: { error: unknown; until: number } | undefined;

  async function connect(): Promise<Driver> {
    // Loaded only when it is used: most installations have no Neo4j.
    const { default: neo4j } = await import('neo4j-driver');
    return neo4j.driver(options.url, neo4j.auth.basic(options.username, options.password), {
      connectionTimeout: TIMEOUT_MS,
      connectionAcquisitionTimeout: TIMEOUT_MS,
      maxTransactionRetryTime: 0,
      disableLosslessIntegers: true,
    });
  }

  async function run(statements: string[], parameters: object): Promise<void> {
    if (failure && performance.now() < failure.until) throw failure.error;
    connecting ??= connect();
    const session = (await connecting).session();
    try {
      await session.executeWrite(async (tx) => {
        for (const statement of statements) await tx.run(statement, parameters);
      });
      failure = undefined;
    } catch (error) {
      failure = { error, until: performance.now() + PAUSE_MS };
      throw error;
    } finally {
      await session.close();
    }
  }

  return {
    subscriber: defineSubscriber('neo4j', {
      eventTypes: ['media.ready', 'media.deleted'],
      async handler({ payload: { media_id } }, signal) {
        const document = await current(media_id, signal);
        await run(document ? WRITE : [DELETE], { ...document, media_id });
      },
    }),
    close: async () => (await connecting)?.close(),
  };

  /** The job that projects it may not have run yet. */
  async function current(mediaId: string, signal: AbortSignal) {
    const known = await findGraphDocument(sql, mediaId);
    if (known) return known;
    return (await graph.project(mediaId, signal)) ? findGraphDocument(sql, mediaId) : undefined;
  }
}
