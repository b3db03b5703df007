import { expect } from 'vitest';
import { call, DEV_KEYS } from '../../support/call.ts';
import { type Fleet, patiently } from '../../support/fleet.ts';
import { eventsAlwaysSeenBy, type Follower, mirror } from './events.ts';
import { type Facts, highlightsSeenBy, readableBy, readFacts, readNamedFacts } from './facts.ts';
import { pick } from './pick.ts';
import type { Person, World } from './world.ts';

const operator = DEV_KEYS.operator;
const urlOf = (fleet: Fleet) => fleet.servers[0]?.url ?? '';
/** The number of requests that compare who can read what; lists are compared completely. */
const SAMPLES = 1000;

/** Waits until no work is left. Deliveries that wait minutes for their next attempt are replayed, as an admin would do. */
export async function comeToRest(fleet: Fleet, webhookId: string, timeoutMs: number): Promise<void> {
  await patiently(async () => {
    const late = await fleet.sql<{ id: string }[]>`
      select id from webhook_deliveries where status = 'pending' and next_attempt_at > now() + interval '10 seconds'
      limit 200`;
    for (const { id } of late)
      await call(urlOf(fleet), 'POST', `/api/v1/webhooks/${webhookId}/deliveries/${id}/replay`, {
        key: DEV_KEYS.admin,
      });
    const [left] = await fleet.sql`
      select
        (select count(*) from job_queue) as jobs,
        (select count(*) from outbox_event where status <> 'delivered') as events,
        (select count(*) from webhook_deliveries where status <> 'delivered') as deliveries,
        (select count(*) from default_library_backfill_jobs where status <> 'completed') as backfills,
        (select count(*) from media where processing_status <> 'ready') as not_ready,
        (select count(*) from media where not exists (select from document_graph where media_id = media.id)) as not_in_graph`;
    expect(left).toEqual({ jobs: 0, events: 0, deliveries: 0, backfills: 0, not_ready: 0, not_in_graph: 0 });
  }, timeoutMs);
}

/** Each acknowledged write is there, unless a later or a parallel one has replaced it; so is all that people have read. */
export async function checkHistory(world: World): Promise<void> {
  const from = performance.now();
  const facts = await readNamedFacts(world.fleet.sql);
  const span = { from, to: performance.now() };
  const known = new Set(world.history.facts().map((fact) => fact.join(' ')));
  for (const name of new Set([...known, ...facts.keys()])) {
    const [kind] = name.split(' ');
    // The visibility is what people asked for. The answer to an invitation may be lost, and with it its id.
    if (kind === 'visibility' || (kind === 'invitation' && !known.has(name))) continue;
    world.history.read(name.split(' '), facts.get(name), span);
  }
  const violations = world.history.violations();
  expect(violations.length, violations.slice(0, 10).join('\n')).toBe(0);
  expect(world.errors).toEqual([]);
}

/** Starts the integrity audit, and expects that it finds nothing. */
export async function checkIntegrity(fleet: Fleet): Promise<void> {
  const body = { job_type: 'integrity_audit', execution_mode: 'async' };
  const submitted = await call(urlOf(fleet), 'POST', '/api/v1/jobs/submit', { key: operator, body });
  const job = await patiently(async () => {
    const answer = await call(urlOf(fleet), 'GET', `/api/v1/jobs/${submitted.body.job_id}`, {
      key: operator,
    });
    expect(['succeeded', 'failed']).toContain(answer.body.status);
    return answer.body;
  }, 300_000);
  expect(job).toMatchObject({ status: 'succeeded', result: { inconsistency_count: 0, counts: {} } });
}

/** Everybody is shown exactly the media and the highlights that the facts entitle them to. */
export async function checkRights(world: World): Promise<Facts> {
  const facts = await readFacts(world.fleet.sql);
  for (const person of world.people) {
    const readable = readableBy(facts, person.id);
    expect(await listAll(world, person, `/libraries/${person.defaultLibraryId}/media`)).toEqual(readable);
    expect(await listAll(world, person, '/highlights')).toEqual(highlightsSeenBy(facts, person.id));
  }
  const media = [...world.pages.values()];
  for (let n = 0; n < SAMPLES; n++) {
    const person = world.people[n % world.people.length] as Person;
    const id = pick(media, person.chance)?.id ?? '';
    const { status } = await call(world.url(person.chance), 'GET', `/api/v1/media/${id}`, {
      key: person.key,
    });
    expect(status).toBe(readableBy(facts, person.id).has(id) ? 200 : 404);
  }
  return facts;
}

async function listAll(world: World, { key, chance }: Person, path: string): Promise<Set<string>> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const query = `limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
    const { body } = await call(world.url(chance), 'GET', `/api/v1${path}?${query}`, { key });
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.page.next_cursor;
    if (!cursor) break;
  }
  expect(new Set(ids).size).toBe(ids.length);
  return new Set(ids);
}

/** The events tell the whole story, everybody's stream was without gaps, and the webhook got every event. */
export async function checkEvents(
  world: World,
  { facts, followers, answered }: { facts: Facts; followers: Follower[]; answered: Set<string> },
): Promise<void> {
  const { sql } = world.fleet;
  const { members, owners, listed, saved } = facts;
  const mirrored = await mirror(sql, world.people);
  const someoneSaved = new Map([...mirrored.saved].filter(([, media]) => media.size > 0));
  expect({ ...mirrored, saved: someoneSaved }).toEqual({ members, owners, listed, saved });

  for (const { person, ids } of followers) {
    const expected = await eventsAlwaysSeenBy(sql, person);
    const always = new Set(expected);
    await patiently(async () => expect(ids.filter((id) => always.has(id))).toEqual(expected));
    expect(new Set(ids).size).toBe(ids.length);
  }

  const events = await sql<{ id: string }[]>`
    select outbox_event.id
    from outbox_event join webhooks on webhooks.created_at < outbox_event.created_at
    where payload -> 'is_private' is distinct from 'true'`;
  expect(events.filter(({ id }) => !answered.has(id))).toEqual([]);
}
