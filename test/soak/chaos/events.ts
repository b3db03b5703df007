import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../../src/platform/database/database.ts';
import { call } from '../../support/call.ts';
import { openStream } from '../../support/event-stream.ts';
import type { Facts } from './facts.ts';
import type { Chance } from './pick.ts';
import type { Person, World } from './world.ts';

const RECONNECT_MS = 300;

/** A client that follows a person's events through all servers. */
export interface Follower {
  person: Person;
  ids: string[];
  reconnections: number;
  stop(): Promise<void>;
}

/** Starts at the beginning of the feed, and goes on with the stream. */
export async function follow(world: World, person: Person, chance: Chance): Promise<Follower> {
  let isOver = false;
  let leave = () => {};
  const feed = await call(world.url(chance), 'GET', '/api/v1/events?limit=200', { key: person.key });
  let cursor: string = feed.body.page.next_cursor;
  const follower: Follower = {
    person,
    ids: feed.body.data.map(({ id }: { id: string }) => id),
    reconnections: 0,
    stop() {
      isOver = true;
      leave();
      return ended;
    },
  };

  async function readOnce(): Promise<void> {
    const stream = await openStream(world.url(chance), person.key, { 'last-event-id': cursor });
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    // A frozen server keeps its streams open, so clients leave now and then.
    await Promise.race([stream.ended, left, pause(5000 + chance() * 20_000, undefined, { ref: false })]);
    stream.close();
    follower.reconnections += 1;
    follower.ids.push(...stream.events.map(({ event }) => event.id));
    cursor = stream.events.at(-1)?.cursor ?? cursor;
  }

  const ended = (async () => {
    while (!isOver) {
      await readOnce().catch(() => undefined); // The server is away.
      await pause(RECONNECT_MS);
    }
  })();
  return follower;
}

/** The events that a person always sees, in the order of the feed: others they see only while they have certain rights. */
export async function eventsAlwaysSeenBy(sql: Database, { id, defaultLibraryId }: Person): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from outbox_event
    where (event_type like 'library.media_%' and payload ->> 'library_id' = ${defaultLibraryId})
      or (event_type like 'invitation.%' and payload ->> 'invitee_user_id' = ${id})
      or (event_type in ('media.tagged', 'library.member_removed') and payload ->> 'user_id' = ${id})
    order by transaction_id, id`;
  return rows.map((row) => row.id);
}

/** The libraries as a subscriber knows them who has nothing but the events, in the order of the feed. */
export async function mirror(
  sql: Database,
  people: Person[],
): Promise<Pick<Facts, 'members' | 'owners' | 'listed' | 'saved'>> {
  const members: Facts['members'] = new Map();
  const owners: Facts['owners'] = new Map();
  const listed: Facts['listed'] = new Map();
  const saved: Facts['saved'] = new Map();
  const ownerOfDefault = new Map(people.map(({ id, defaultLibraryId }) => [defaultLibraryId, id]));
  const contents = (library: string) => {
    const person = ownerOfDefault.get(library);
    if (person === undefined) return listed.get(library);
    const media = saved.get(person) ?? new Set();
    saved.set(person, media);
    return media;
  };
  const events = await sql<{ event_type: string; payload: Record<string, string> }[]>`
    select event_type, payload from outbox_event where aggregate_type = 'library' order by transaction_id, id`;
  for (const { event_type, payload } of events) {
    const {
      library_id = '',
      user_id = '',
      role = '',
      media_id = '',
      owner_user_id = '',
      to_user_id = '',
    } = payload;
    switch (event_type) {
      case 'library.created':
        owners.set(library_id, owner_user_id);
        members.set(library_id, new Map([[owner_user_id, 'admin']]));
        listed.set(library_id, new Set());
        break;
      case 'library.deleted':
        for (const known of [owners, members, listed]) known.delete(library_id);
        break;
      case 'library.media_added':
        contents(library_id)?.add(media_id);
        break;
      case 'library.media_removed':
        contents(library_id)?.delete(media_id);
        break;
      case 'library.member_added':
      case 'library.member_role_changed':
        members.get(library_id)?.set(user_id, role);
        break;
      case 'library.member_removed':
        members.get(library_id)?.delete(user_id);
        break;
      case 'library.ownership_transferred':
        owners.set(library_id, to_user_id);
        members.get(library_id)?.set(to_user_id, 'admin');
    }
  }
  return { members, owners, listed, saved };
}
