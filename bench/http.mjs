// Measures requests to Nexus beside a bare Fastify route with one prepared query by primary key, on the same PostgreSQL and
// in the same run; and beside bare routes that send as much as Nexus's answers. Nexus runs as `nexus serve --no-worker` does.
// Writes bench/results/http.json. `--quick` measures briefly.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { transaction } from '../src/platform/database/transaction.ts';
import { newId } from '../src/platform/ids.ts';
import { withDatabase } from './database.mjs';
import { ask, load } from './http/load.mjs';
import { makeWorld, QUICK } from './lists/world.mjs';
import { addressOf, startNexus } from './nexus.mjs';

const isQuick = process.argv.includes('--quick');
const RESULTS = new URL('results/http.json', import.meta.url);
const SECONDS = isQuick ? 2 : 8;
const ROUNDS = isQuick ? 1 : 3;
const CONNECTIONS = 16;
const POOL_SIZE = 10;
const KEY = 'a-key-for-the-benchmark-of-http';
const AIMS = { whoami: 0.6, 'a media': 0.5, 'a chapter': 0.5, 'a list of 50': 0.2, 'a search': 0.15 };
const AIM_SAVES = 500;

const say = (line) => process.stdout.write(`${line}\n`);

/** Adds a reader with an article, and with a book of 1.2 million characters in forty chapters. */
async function makeReader(sql) {
  const [{ user_id, default_library_id }] = await sql`
    select id as user_id, default_library_id from users where username = 'dev-researcher'`;
  const paragraph =
    '<p>The sea is never still, and the tide comes in twice a day because the earth turns.</p>';
  const media = async (kind, title, fragments) => {
    const id = newId();
    await transaction(sql, async (tx) => {
      await tx`
        insert into media (id, kind, title, created_by_user_id, processing_status, plain_text, word_count)
        values (${id}, ${kind}, ${title}, ${user_id}, 'ready', ${title}, 1000)`;
      await tx`insert into default_library_intrinsics (default_library_id, media_id) values (${default_library_id}, ${id})`;
      await tx`insert into library_media (library_id, media_id, is_derived) values (${default_library_id}, ${id}, true)`;
      for (const [idx, length] of fragments.entries()) {
        const html = paragraph.repeat(Math.ceil(length / 85));
        await tx`
          insert into media_fragments (id, media_id, idx, title, html_sanitized, canonical_text)
          values (${newId()}, ${id}, ${idx}, ${`Chapter ${idx + 1}`}, ${html}, ${html.replaceAll(/<\/?p>/g, ' ')})`;
      }
    });
    return id;
  };
  const others = await sql`
    insert into default_library_intrinsics (default_library_id, media_id)
    select ${default_library_id}, media_id from numbered where number <= 200 returning media_id`;
  await sql`
    insert into library_media (library_id, media_id, is_derived)
    select ${default_library_id}, unnest(${others.map(({ media_id }) => media_id)}::uuid[]), true`;
  return {
    library: default_library_id,
    article: await media('web_article', 'Tides', [8000]),
    book: await media(
      'epub',
      'A book',
      Array.from({ length: 40 }, () => 30_000),
    ),
  };
}

async function startBare(database) {
  const child = fork(fileURLToPath(new URL('http/bare-server.mjs', import.meta.url)), {
    env: { ...process.env, BENCH_DATABASE: database, BENCH_POOL_SIZE: String(POOL_SIZE) },
  });
  const [{ port }] = await once(child, 'message');
  return {
    port,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** The requests to measure, and for each that can be answered with 304, the same with `If-None-Match`. */
async function requestsOf(port, { article, book }) {
  const headers = { 'x-nexus-api-key': KEY };
  const reads = {
    whoami: '/api/v1/auth/whoami',
    'a media': `/api/v1/media/${article}`,
    'a chapter': `/api/v1/media/${book}/fragments/7`,
    'a list of 50': '/api/v1/media?limit=50',
    'a search': '/api/v1/search?q=everywhere&limit=20',
  };
  const entries = await Promise.all(
    Object.entries(reads).map(async ([name, target]) => {
      const { status, headers: answered } = await ask({ port, path: target, headers });
      if (status !== 200) throw new Error(`${target} answers ${status}`);
      return [
        [name, { next: () => ({ path: target, headers }) }],
        [
          `${name}, 304`,
          { next: () => ({ path: target, headers: { ...headers, 'if-none-match': answered.etag } }) },
        ],
      ];
    }),
  );
  return Object.fromEntries(entries.flat());
}

/** Bare routes that send as much as the requests of the same name. */
const bareRequests = (port, { library, article, book }) => ({
  'a media, bare': { port, next: () => ({ path: `/media/${article}` }) },
  'a chapter, bare': { port, next: () => ({ path: `/fragments/${book}/7` }) },
  'a list of 50, bare': { port, next: () => ({ path: `/libraries/${library}/media` }) },
});

let number = 0;
const save = () => ({
  method: 'POST',
  path: '/api/v1/media',
  headers: { 'x-nexus-api-key': KEY, 'content-type': 'application/json' },
  body: JSON.stringify({ url: `https://example.org/${process.pid}/${number++}` }),
});

/** The bytes over the wire for what a person opens, as a browser asks for it. */
async function bytesOf(port, { article, book }) {
  const headers = { 'x-nexus-api-key': KEY, 'accept-encoding': 'br, gzip' };
  const sum = async (paths) => {
    const answers = await Promise.all(paths.map((target) => ask({ port, path: target, headers })));
    return answers.reduce((total, { bytes }) => total + bytes, 0);
  };
  return {
    home: await sum(['/api/v1/media?limit=50', '/api/v1/libraries?limit=200', '/api/v1/me']),
    'an article': await sum([`/api/v1/media/${article}`, `/api/v1/media/${article}/fragments`]),
    'a book of 1.2 million characters': await sum([
      `/api/v1/media/${book}`,
      `/api/v1/media/${book}/fragments/index`,
      `/api/v1/media/${book}/fragments/0`,
      `/api/v1/media/${book}/fragments/1`,
    ]),
  };
}

const best = (rounds) => rounds.reduce((a, b) => (a.per_second >= b.per_second ? a : b));

await withDatabase(
  { poolSize: 4, statementTimeoutSeconds: 600, idleTransactionTimeoutSeconds: 600 },
  async (sql, target) => {
    say('filling the database …');
    await makeWorld(sql, QUICK);
    const database = addressOf(target);
    const nexus = await startNexus(database, {
      NEXUS_DATABASE_POOL_SIZE: String(POOL_SIZE),
      NEXUS_BOOTSTRAP_RESEARCHER_KEY: KEY,
    });
    const bare = await startBare(database);
    try {
      const [{ id }] = await sql`select id from users limit 1`;
      const media = await makeReader(sql);
      await sql`vacuum analyze`;
      const requests = {
        bare: { port: bare.port, next: () => ({ path: `/users/${id}` }) },
        ...(await requestsOf(nexus.port, media)),
        ...bareRequests(bare.port, media),
      };
      const measured = Object.fromEntries(Object.keys(requests).map((name) => [name, []]));
      // Alternating, so that a busy minute of the machine meets all of them.
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, { port = nexus.port, next }] of Object.entries(requests)) {
          await load({ port, connections: CONNECTIONS, seconds: SECONDS / 4, next });
          measured[name].push(await load({ port, connections: CONNECTIONS, seconds: SECONDS, next }));
        }
      }
      const savesOf = (seconds) => load({ port: nexus.port, connections: 8, seconds, next: save });
      const saved = [];
      for (let round = 0; round < ROUNDS; round++) {
        await savesOf(SECONDS / 4);
        saved.push(await savesOf(SECONDS));
      }
      const saves = best(saved);
      const base = best(measured.bare).per_second;
      const rows = Object.fromEntries(
        Object.entries(measured).map(([name, rounds]) => {
          const figures = best(rounds);
          const same = measured[`${name}, bare`];
          const ratioTo = (per_second) => Number((figures.per_second / per_second).toFixed(3));
          return [
            name,
            {
              ...figures,
              of_bare: ratioTo(base),
              ...(same && { of_same_answer: ratioTo(best(same).per_second) }),
            },
          ];
        }),
      );
      for (const [name, row] of Object.entries(rows)) {
        const { per_second, of_bare, of_same_answer, p50_ms, p99_ms, bytes_each } = row;
        const aim = AIMS[name];
        const same = of_same_answer === undefined ? '' : `  ${of_same_answer} of the same answer, bare`;
        const verdict =
          aim === undefined ? '' : of_bare >= aim ? `  (aim ${aim}: held)` : `  (aim ${aim}: MISSED)`;
        say(
          `${name.padEnd(20)} ${String(per_second).padStart(6)}/s  ${of_bare.toFixed(2)} of bare  p50 ${p50_ms} ms  p99 ${p99_ms} ms  ${bytes_each} bytes${same}${verdict}`,
        );
      }
      say(
        `saves with 8 clients ${String(saves.per_second).padStart(6)}/s  p50 ${saves.p50_ms} ms  p99 ${saves.p99_ms} ms  (aim ${AIM_SAVES}: ${saves.per_second >= AIM_SAVES ? 'held' : 'MISSED'})`,
      );
      const bytes = await bytesOf(nexus.port, media);
      for (const [name, count] of Object.entries(bytes)) say(`${name}: ${count} bytes over the wire`);
      const report = {
        measured_at: new Date().toISOString(),
        machine: { cores: os.cpus().length, node: process.version },
        connections: CONNECTIONS,
        reads: rows,
        saves,
        bytes,
      };
      if (!isQuick) await writeFile(RESULTS, `${JSON.stringify(report, null, 2)}\n`);
    } finally {
      await bare.stop();
      await nexus.stop();
    }
  },
);
