// Measures sharing: adding one media for 5,000 members, 100,000 media for one new member, and reading with a million edges.
// It uses the services of the build on a separate PostgreSQL with default settings. Writes bench/results/closure.json.
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { mayRead } from '../src/features/libraries/access/can-read-media.ts';
import { createBackfill } from '../src/features/libraries/closure/backfill.ts';
import { createLibraryMedia } from '../src/features/libraries/library-media.ts';
import { createInvitations } from '../src/features/libraries/sharing/invitations.ts';
import { createMembers } from '../src/features/libraries/sharing/members.ts';
import { createMediaLists } from '../src/features/media/lists/list.ts';
import { writeStatements } from '../src/platform/database/database.ts';
import { transaction } from '../src/platform/database/transaction.ts';
import { newId } from '../src/platform/ids.ts';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { makePeople, withDatabase } from './database.mjs';

const MEMBERS = 5000;
const MEDIA_PER_LIBRARY = 200;
const LARGE = 100_000;
const SMALL = 1000;

const RESULTS = new URL('results/closure.json', import.meta.url);
const log = createLogger({ level: 'silent', format: 'json' });
const actor = { name: 'bench' };

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rounded = (value, digits = 1) => Number(value.toFixed(digits));
const say = (line) => process.stdout.write(`${line}\n`);

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Runs work repeatedly and returns the median of its times. */
async function medianOf(times, work) {
  const samples = [];
  for (let n = 0; n < times; n++) samples.push(await timed(() => work(n)));
  return median(samples);
}

async function makeMedia(sql, count, { user_id, default_library_id }) {
  const ids = Array.from({ length: count }, newId);
  await sql`
    with item as (
      insert into media (id, kind, title, created_by_user_id)
      select id, 'web_article', 'An article', ${user_id} from unnest(${ids}::uuid[]) as item (id)
      returning id
    ),
    saved as (
      insert into default_library_intrinsics (default_library_id, media_id) select ${default_library_id}, id from item
    )
    insert into library_media (library_id, media_id, is_derived) select ${default_library_id}, id, true from item`;
  return ids;
}

/** Creates a library whose closure is complete: every member has every media. */
async function makeLibrary(sql, people, media) {
  const id = newId();
  const users = people.map(({ user_id }) => user_id);
  await sql`insert into libraries (id, name, owner_user_id) values (${id}, 'Shared', ${users[0]})`;
  await sql`
    insert into memberships (library_id, user_id, role) select ${id}, unnest(${users}::uuid[]), 'admin'`;
  await sql`
    insert into library_media (library_id, media_id, is_derived) select ${id}, unnest(${media}::uuid[]), false`;
  const defaults = people.map(({ default_library_id }) => default_library_id);
  await sql`
    insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
    select d, m, ${id} from unnest(${defaults}::uuid[]) as d, unnest(${media}::uuid[]) as m`;
  await sql`
    insert into library_media (library_id, media_id, is_derived)
    select d, m, true from unnest(${defaults}::uuid[]) as d, unnest(${media}::uuid[]) as m
    on conflict do nothing`;
  return id;
}

async function settle(sql) {
  const client = await sql.connect();
  await client.query('vacuum analyze');
  await client.query('checkpoint');
  client.release();
}

const listPage = (lists, viewer, library_id) => lists.list(viewer, { library_id, sort: 'added', limit: 100 });

/** Measures the read check for readable and unreadable media, and a page of the default library, as a member. */
async function reading(sql, viewers, readable, unreadable) {
  const lists = createMediaLists({ sql });
  const pick = (list, n) => list[(n * 7919) % list.length];
  for (const [n, expected] of [
    [0, true],
    [1, false],
  ]) {
    const answer = await mayRead(sql, pick(viewers, 1), pick(expected ? readable : unreadable, n));
    if (answer !== expected) throw new Error('canReadMedia is wrong.');
  }
  const check = (media) => medianOf(1000, (n) => mayRead(sql, pick(viewers, n), pick(media, n)));
  await check(readable);
  return {
    can_read_yes_ms: rounded(await check(readable), 3),
    can_read_no_ms: rounded(await check(unreadable), 3),
    list_page_ms: rounded(
      await medianOf(100, (n) => {
        const viewer = pick(viewers, n);
        return listPage(lists, viewer, viewer.default_library_id);
      }),
      3,
    ),
  };
}

/**
 * Adds a media with a loop over the members: default library, edge, row. With 2 statements per member, the minimum of a
 * loop, the default libraries are read together with the members.
 */
async function addRowByRow(sql, { library, mediaId, addedBy, statements }) {
  await transaction(sql, async (tx) => {
    await tx`
      insert into library_media (library_id, media_id, is_derived, added_by_user_id)
      values (${library}, ${mediaId}, false, ${addedBy})`;
    const members = await tx`
      select users.id, users.default_library_id
      from memberships join users on users.id = memberships.user_id
      where memberships.library_id = ${library}`;
    for (const { id, default_library_id } of members) {
      if (statements === 3) await tx`select default_library_id from users where id = ${id}`;
      await tx`
        insert into library_media (library_id, media_id, is_derived)
        values (${default_library_id}, ${mediaId}, true)
        on conflict (library_id, media_id) do update set media_id = excluded.media_id where false`;
      await tx`
        insert into default_library_closure_edges (default_library_id, media_id, source_library_id)
        values (${default_library_id}, ${mediaId}, ${library})
        on conflict do nothing`;
    }
  });
}

/** Joins a library, runs its backfill, and leaves it again. */
async function joinAndLeave(sql, { owner, library, media, person }) {
  const users = { get: async () => ({ id: person.user_id, username: 'somebody' }) };
  const backfill = createBackfill({ sql, log, send: async () => undefined });
  const invitations = createInvitations({ sql, users, backfill });
  const invitation = await invitations.invite(owner.user_id, library, {
    invitee_user_id: person.user_id,
    role: 'member',
  });
  const readableMs = await timed(async () => {
    await invitations.accept(person, invitation.id, actor);
    if (!(await mayRead(sql, person, media[0]))) throw new Error('A new member cannot read immediately.');
  });
  const key = {
    default_library_id: person.default_library_id,
    source_library_id: library,
    user_id: person.user_id,
  };
  const context = {
    jobId: newId(),
    requestId: null,
    signal: new AbortController().signal,
    log,
    complete: async () => undefined,
  };
  const backfillMs = await timed(() => backfill.run(key, context));
  const [{ count }] = await sql`
    select count(*) from default_library_closure_edges where default_library_id = ${person.default_library_id}`;
  if (count !== media.length) throw new Error(`${count} edges instead of ${media.length}.`);
  const removeMs = await timed(() =>
    createMembers({ sql }).remove(owner.user_id, library, person.user_id, actor),
  );
  return { readableMs, backfillMs, removeMs };
}

async function measureJoining(sql, { times, people, library, media }) {
  const runs = [];
  for (let n = 0; n < times; n++) {
    runs.push(await joinAndLeave(sql, { owner: people[0], library, media, person: people[1 + n] }));
  }
  const of = (name) => median(runs.map((run) => run[name]));
  return {
    time_to_readable_ms: rounded(of('readableMs')),
    backfill_ms: rounded(of('backfillMs')),
    backfill_us_per_edge: rounded((of('backfillMs') * 1000) / media.length, 2),
    remove_member_ms: rounded(of('removeMs')),
    remove_us_per_edge: rounded((of('removeMs') * 1000) / media.length, 2),
  };
}

/** Returns the number of query plans that the work used, and the tables that they scanned sequentially. */
async function scannedTables(sql, work) {
  const client = await sql.connect();
  const scanned = new Set();
  let plans = 0;
  client.on('notice', ({ message = '' }) => {
    if (!message.includes('plan:')) return;
    plans += 1;
    for (const [, table] of message.matchAll(/Seq Scan on (\w+)/g)) scanned.add(table);
  });
  await client.query("load 'auto_explain'");
  await client.query('set auto_explain.log_min_duration = 0; set client_min_messages = log');
  const query = client.query.bind(client);
  const one = Object.assign(writeStatements({ query }, sql.isPooled), sql, {
    connect: async () => Object.assign(Object.create(client), { query, release: () => undefined }),
  });
  try {
    await work(one);
  } finally {
    await client.query('reset client_min_messages');
    client.release(new Error('done'));
  }
  return { plans, scanned: [...scanned] };
}

await withDatabase(
  { poolSize: 2, statementTimeoutSeconds: 600, idleTransactionTimeoutSeconds: 600 },
  async (sql) => {
    say(`people: ${MEMBERS + 100}`);
    const people = await makePeople(sql, MEMBERS + 100);
    const [author, outsider] = people.slice(-2);
    const hidden = await makeMedia(sql, MEDIA_PER_LIBRARY, author);

    const few = people.slice(0, 5);
    const smallMedia = await makeMedia(sql, MEDIA_PER_LIBRARY, outsider);
    await makeLibrary(sql, few, smallMedia);
    await settle(sql);
    const atThousand = await reading(sql, few, smallMedia, hidden);
    say(`reading at ${few.length * MEDIA_PER_LIBRARY} edges: ${JSON.stringify(atThousand)}`);

    const many = people.slice(5, 5 + MEMBERS);
    const bigMedia = await makeMedia(sql, MEDIA_PER_LIBRARY, outsider);
    const big = await makeLibrary(sql, many, bigMedia);
    await settle(sql);
    const [{ count: edges }] = await sql`select count(*) from default_library_closure_edges`;
    const atMillion = await reading(sql, many, bigMedia, hidden);
    say(`reading at ${edges} edges: ${JSON.stringify(atMillion)}`);

    const libraryMedia = createLibraryMedia({ sql });
    const mine = await makeMedia(sql, 30, many[0]);
    const adding = { set_based: [], row_by_row: [], row_by_row_at_the_least: [] };
    // In turns, and the fastest of each: other work on the machine can only slow them down.
    for (let n = 0; n < 4; n++) {
      for (let again = 0; again < 3; again++) {
        adding.set_based.push(await timed(() => libraryMedia.add(many[0], big, mine.pop())));
      }
      for (const [name, statements] of [
        ['row_by_row', 3],
        ['row_by_row_at_the_least', 2],
      ]) {
        const mediaId = mine.pop();
        adding[name].push(
          await timed(() =>
            addRowByRow(sql, { library: big, mediaId, addedBy: many[0].user_id, statements }),
          ),
        );
      }
    }
    const added = Object.fromEntries(
      Object.entries(adding).map(([name, samples]) => [name, rounded(Math.min(...samples))]),
    );
    const removed = [];
    for (let n = 0; n < 3; n++) {
      const media = mine.pop();
      await libraryMedia.add(many[0], big, media);
      removed.push(await timed(() => libraryMedia.remove(many[0], big, media)));
    }
    say(`one media for ${MEMBERS} members, in ms: ${JSON.stringify(added)}`);

    const newcomers = people.slice(5 + MEMBERS, -2);
    const smallJoin = await makeMedia(sql, SMALL, outsider);
    const smallLibrary = await makeLibrary(sql, newcomers.slice(0, 1), smallJoin);
    const largeJoin = await makeMedia(sql, LARGE, outsider);
    const largeLibrary = await makeLibrary(sql, newcomers.slice(0, 1), largeJoin);
    await settle(sql);
    const join = (times, library, media) => measureJoining(sql, { times, people: newcomers, library, media });
    const joinSmall = await join(9, smallLibrary, smallJoin);
    const joinLarge = await join(3, largeLibrary, largeJoin);
    say(`joining ${SMALL} media: ${JSON.stringify(joinSmall)}`);
    say(`joining ${LARGE} media: ${JSON.stringify(joinLarge)}`);

    const plans = await scannedTables(sql, async (one) => {
      const media = createLibraryMedia({ sql: one });
      const [viewer] = many;
      const item = mine.pop();
      await media.add(viewer, big, item);
      await media.provenance(viewer, item);
      const lists = createMediaLists({ sql: one });
      await listPage(lists, viewer, viewer.default_library_id);
      await listPage(lists, viewer, big);
      await media.remove(viewer, big, item);
      await createMembers({ sql: one }).remove(many[0].user_id, big, many[1].user_id, actor);
      const [owner] = newcomers;
      await joinAndLeave(one, { owner, library: smallLibrary, media: smallJoin, person: newcomers[20] });
    });

    const canRead = (name) => atMillion[name] / atThousand[name];
    const ratios = {
      set_based_against_row_by_row: {
        value: rounded(added.row_by_row / added.set_based),
        target: 'at least 20',
      },
      can_read_at_a_million_edges_against_a_thousand: {
        value: rounded(Math.max(canRead('can_read_yes_ms'), canRead('can_read_no_ms')), 2),
        target: 'at most 3',
      },
      edge_at_100000_media_against_1000: {
        value: rounded(joinLarge.backfill_us_per_edge / joinSmall.backfill_us_per_edge, 2),
        target: 'at most 1.5',
      },
    };
    const [{ server_version }] = await sql`select current_setting('server_version') as server_version`;
    const result = {
      measured_with: { node: process.version, postgresql: server_version, cpus: os.cpus().length },
      ratios,
      add_one_media_to_5000_members_ms: added,
      remove_it_again_ms: rounded(median(removed)),
      join_library_of_1000_media: joinSmall,
      join_library_of_100000_media: joinLarge,
      reading_at_1000_edges: atThousand,
      [`reading_at_${edges}_edges`]: atMillion,
      plans: { looked_at: plans.plans, tables_read_from_end_to_end: plans.scanned.join(', ') },
    };
    await mkdir(new URL('.', RESULTS), { recursive: true });
    await writeFile(RESULTS, `${JSON.stringify(result, null, 2)}\n`);
    say(JSON.stringify(result, null, 2));
  },
);
