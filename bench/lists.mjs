// Measures lists, totals, sites and search with a million media, 2,000 people and libraries of 200,000 media, compared with
// a naive query that joins and checks every row. It measures the CPU time of the server process, which other work on the
// machine affects less than wall-clock time. Then people get a million tags and a million highlights, and their lists are
// compared with those of people without any. Writes bench/results/lists.json. `--quick` uses small numbers, `--media 400000`
// other sizes.
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { canReadMedia } from '../src/features/libraries/access/can-read-media.ts';
import { createMediaLists } from '../src/features/media/lists/list.ts';
import { createSearch } from '../src/features/media/search/search.ts';
import { searchWork } from '../src/features/media/search/work.ts';
import { withDatabase } from './database.mjs';
import { KEPT, KEPT_QUICK, keepThings } from './lists/mine.mjs';
import { compareAll } from './lists/ratios.mjs';
import { makeWorld, QUICK, SIZES } from './lists/world.mjs';

const RESULTS = new URL('results/lists.json', import.meta.url);
const isQuick = process.argv.includes('--quick');
const mediaFlag = process.argv.indexOf('--media');
const mediaCount = mediaFlag < 0 ? SIZES.media : Number(process.argv[mediaFlag + 1]);
const TIMES = 5;

const say = (line) => process.stdout.write(`${line}\n`);
const rounded = (value) => Number(value.toFixed(1));

// One server process does all work, so that its CPU time is the total.
const ONE_PROCESS = {
  poolSize: 1,
  settings: { max_parallel_workers_per_gather: '0' },
  statementTimeoutSeconds: 3600,
  idleTransactionTimeoutSeconds: 3600,
};

/** Returns the CPU time of a process in milliseconds; undefined where there is no /proc. */
async function cpuTime(pid) {
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '')).split(' ');
  return nanoseconds ? Number(nanoseconds) / 1e6 : undefined;
}

/** Returns the minimum of several runs: other work on the machine can only slow them down. */
async function measure(pid, work) {
  const best = { cpu_ms: Number.POSITIVE_INFINITY, wall_ms: Number.POSITIVE_INFINITY };
  for (let n = 0; n < TIMES; n++) {
    const [start, before] = [performance.now(), await cpuTime(pid)];
    await work();
    const after = await cpuTime(pid);
    best.wall_ms = Math.min(best.wall_ms, performance.now() - start);
    best.cpu_ms = Math.min(best.cpu_ms, before === undefined ? best.wall_ms : after - before);
  }
  return { cpu_ms: rounded(best.cpu_ms), wall_ms: rounded(best.wall_ms) };
}

/** Measures two functions in turn, so that other work on the machine slows down both. */
async function measurePair(pid, one, other) {
  const best = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let n = 0; n < TIMES; n++) {
    for (const [index, work] of [one, other].entries()) {
      const [start, before] = [performance.now(), await cpuTime(pid)];
      await work();
      const after = await cpuTime(pid);
      best[index] = Math.min(best[index], before === undefined ? performance.now() - start : after - before);
    }
  }
  const [kept, plain] = best.map(rounded);
  return { cpu_ms: kept, without_cpu_ms: plain, ratio: Number((best[0] / best[1]).toFixed(2)) };
}

/** Naive queries that join every row of the default library with its media and check whether it is readable. */
function naiveQueries(sql, viewer) {
  const rows = sql`
    from library_media
    join media on media.id = library_media.media_id
    where library_media.library_id = ${viewer.default_library_id}
      and ${canReadMedia(sql, viewer, sql`library_media.media_id`)}`;
  return {
    total: () => sql`select count(*) ${rows} and media.kind = 'pdf'`,
    sites: () => sql`select media.site, count(*) ${rows} group by media.site order by 2 desc limit 200`,
  };
}

const LISTS = {
  'by added': {},
  'by title': { sort: 'title' },
  'by published': { sort: 'published' },
  'by length': { sort: 'length' },
  'of one kind': { kind: 'pdf' },
  failed: { status: 'failed' },
  'of a frequent site, by title': { site: 's1.example', sort: 'title' },
  'of a rare site, by title': { site: 's50.example', kind: 'web_article', sort: 'title' },
  finished: { reading: 'finished' },
  'unread, by title': { reading: 'unread', sort: 'title' },
};
const WORDS = ['everywhere ', 'w1 ', 'w100 ', 'w15000 ', 'w1 w2 ', 'w1 w15', 'w15', 'nothing '];

await withDatabase(ONE_PROCESS, async (sql) => {
  const sizes = isQuick
    ? QUICK
    : { ...SIZES, media: mediaCount, large: mediaCount / 5, middle: mediaCount / 50 };
  const world = await makeWorld(sql, sizes, say);
  const [{ pid, version }] = await sql`
    select pg_backend_pid() as pid, current_setting('server_version') as version`;
  const lists = createMediaLists({ sql });
  const search = createSearch({ sql, mediaLists: lists, run: (name, task) => searchWork[name](task) });
  const scopes = {
    a_library_of_200000: [world.member, world.large],
    everything_of_a_member_of_it: [world.member],
    '200000_saved_by_one_person': [world.collector],
    everything_in_ten_libraries_of_20000: [world.busy],
    '20000_saved_and_a_library_of_20000': [world.reader],
  };
  const results = {};
  for (const [scope, [viewer, library_id]] of Object.entries(scopes)) {
    const measured = {};
    for (const [name, query] of Object.entries(LISTS)) {
      const filter = { sort: 'added', limit: 100, library_id, ...query };
      measured[`page and total, ${name}`] = await measure(pid, () => lists.list(viewer, filter));
    }
    measured.sites = await measure(pid, () => lists.sites(viewer, library_id));
    for (const q of library_id === undefined ? WORDS : []) {
      measured[`search "${q}"`] = await measure(pid, () => search.find(viewer, { q, limit: 20 }));
    }
    results[scope] = measured;
    say(`${scope}: ${JSON.stringify(measured)}`);
  }
  const queries = naiveQueries(sql, world.member);
  const naive = { total: await measure(pid, queries.total), sites: await measure(pid, queries.sites) };
  const member = results.everything_of_a_member_of_it;
  const ratio = (slow, fast) => ({ value: rounded(slow.cpu_ms / fast.cpu_ms), target: 'at least 3' });
  const { modest, counts } = await keepThings(sql, world, isQuick ? KEPT_QUICK : KEPT, say);
  const pair = (one, other) => measurePair(pid, one, other);
  const kept = await compareAll({ sql, lists, search, world, modest, pair });
  for (const [name, measured] of Object.entries(kept)) say(`${name}: ${JSON.stringify(measured)}`);
  const result = {
    measured_with: { node: process.version, postgresql: version, cpus: os.cpus().length, sizes, ...counts },
    ratios: {
      page_and_total_of_one_kind_against_a_plain_total: ratio(
        naive.total,
        member['page and total, of one kind'],
      ),
      sites_against_plain_sites: ratio(naive.sites, member.sites),
    },
    the_plain_way: naive,
    with_tags_and_highlights: { target: 'ratios of at most 1.5', ...kept },
    ...results,
  };
  if (!isQuick) await writeFile(RESULTS, `${JSON.stringify(result, null, 2)}\n`);
  say(JSON.stringify(result.ratios, null, 2));
});
