// Measures how long pages take until they can be read, with an empty cache over a slow network, and the memory of a long
// book. Runs the built Nexus and Chromium. Writes bench/results/pages.json. `--quick` measures once and writes nothing;
// `--requests` prints the requests of each page.
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import { withDatabase } from '../database.mjs';
import { addressOf, startNexus } from '../nexus.mjs';
import { openChromium } from './chromium.mjs';
import { insertArticles, insertMedia } from './documents.mjs';

const isQuick = process.argv.includes('--quick');
const showsRequests = process.argv.includes('--requests');
const ROUNDS = isQuick ? 1 : 9;
const KEY = 'a-key-for-the-benchmark-of-pages';
const RESULTS = new URL('../results/pages.json', import.meta.url);
const NETWORK = { latency_ms: 85, megabits_per_second: 9 };
const AIM_MS = 1200;
const AIM_MB = 120;

const say = (line) => process.stdout.write(`${line}\n`);
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Fills the library of a person: 225 articles, and what is opened. */
async function makeLibrary(sql) {
  const [person] = await sql`select id, default_library_id from users where username = 'dev-researcher'`;
  await insertArticles(sql, person, 225);
  const book = (chapters) => Array.from({ length: chapters }, () => 30_000);
  return {
    article: await insertMedia(sql, person, { kind: 'web_article', title: 'Tides', lengths: [12_000] }),
    book: await insertMedia(sql, person, { kind: 'epub', title: 'A book', lengths: book(40) }),
    longBook: await insertMedia(sql, person, { kind: 'epub', title: 'A long book', lengths: book(200) }),
  };
}

await withDatabase(
  { poolSize: 4, statementTimeoutSeconds: 600, idleTransactionTimeoutSeconds: 600 },
  async (sql, target) => {
    const nexus = await startNexus(addressOf(target), { NEXUS_BOOTSTRAP_RESEARCHER_KEY: KEY });
    const chromium = await openChromium(`http://127.0.0.1:${nexus.port}`, KEY);
    try {
      say('filling the database …');
      const { article, book, longBook } = await makeLibrary(sql);
      await sql`vacuum analyze`;
      const pages = {
        home: { path: '/app/', sign: '.media-row, .media-card' },
        article: { path: `/app/read/${article}`, sign: '.prose p' },
        'book of 1.2 million characters': { path: `/app/read/${book}`, sign: '.prose p' },
      };
      const measured = Object.fromEntries(Object.keys(pages).map((name) => [name, []]));
      // Alternating, so that a busy minute of the machine meets all of them. The first round warms the server up.
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [name, page] of Object.entries(pages)) {
          const { ms, requests } = await chromium.timeUntilReadable(page, NETWORK);
          if (round > 0) measured[name].push({ ms, requests });
          if (round === 1 && showsRequests) say(`${name}\n${requests.map((line) => `  ${line}`).join('\n')}`);
        }
      }
      const rows = Object.fromEntries(
        Object.entries(measured).map(([name, rounds]) => {
          const times = rounds.map(({ ms }) => ms);
          return [
            name,
            { ms: median(times), slowest_ms: Math.max(...times), requests: rounds[0].requests.length },
          ];
        }),
      );
      for (const [name, { ms, slowest_ms, requests }] of Object.entries(rows))
        say(`${name}: ${ms} ms, slowest ${slowest_ms} ms, ${requests} requests (aim: ${AIM_MS} ms)`);

      const memory = await chromium.memoryOfReading(`/app/read/${longBook}`, { chapters: 20 });
      say(
        `book of 6 million characters: ${memory.opened_mb} MB, after 20 chapters ${memory.read_mb} MB (aim: ${AIM_MB} MB)`,
      );
      if (!isQuick) {
        const machine = `${os.availableParallelism()} cores, Node.js ${process.version}, ${chromium.version}`;
        const results = { machine, network: NETWORK, rounds: ROUNDS, aim_ms: AIM_MS, pages: rows };
        const book = { characters: 6_000_000, aim_mb: AIM_MB, ...memory };
        await writeFile(RESULTS, `${JSON.stringify({ ...results, renderer_memory: book }, null, 2)}\n`);
      }
      const isSlow = Object.values(rows).some(({ ms }) => ms > AIM_MS);
      if (isSlow || memory.read_mb > AIM_MB) process.exitCode = 1;
    } finally {
      await chromium.close();
      await nexus.stop();
    }
  },
);
