// What lists, totals, sites and search cost with a million media, 2,000 people and libraries of 200,000 media, next to the
// plain way of counting: every row joined with its media and asked about. Time is that of the server's process on a
// processor, which other work on the machine changes less than the clock. `--quick` for small numbers.
// Writes bench/results/lists.json.
import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { canReadMedia } from '../dist/features/libraries/access/can-read-media.js';
import { createMediaLists } from '../dist/features/media/lists/list.js';
import { createSearch } from '../dist/features/media/search/search.js';
import { withDatabase } from './database.mjs';
import { makeWorld, QUICK, SIZES } from './lists/world.mjs';

const RESULTS = new URL('results/lists.json', import.meta.url);
const isQuick = process.argv.includes('--quick');
const TIMES = 5;

const say = (line) => process.stdout.write(`${line}\n`);
const rounded = (value) => Number(value.toFixed(1));

// One process of the server does everything, so that its time is all the time there is.
const ONE_PROCESS = {
  poolSize: 1,
  settings: { max_parallel_workers_per_gather: '0' },
  statementTimeoutSeconds: 3600,
  idleTransactionTimeoutSeconds: 3600,
};

/** Milliseconds that a process has been on a processor; undefined where the system does not tell. */
async function processorTime(pid) {
  const [nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '')).split(' ');
  return nanoseconds ? Number(nanoseconds) / 1e6 : undefined;
}

/** The least of several runs: whatever else the machine does can only slow it down. */
async function measure(pid, work) {
  const least = { cpu_ms: Number.POSITIVE_INFINITY, wall_ms: Number.POSITIVE_INFINITY };
  for (let n = 0; n < TIMES; n++) {
    const [begin, before] = [performance.now(), await processorTime(pid)];
    await work();
    const after = await processorTime(pid);
    least.wall_ms = Math.min(least.wall_ms, performance.now() - begin);
    least.cpu_ms = Math.min(least.cpu_ms, before === undefined ? least.wall_ms : after - before);
  }
  return { cpu_ms: rounded(least.cpu_ms), wall_ms: rounded(least.wall_ms) };
}

/** Every row of the default library, joined with its media, and asked about. */
function plainWay(sql, viewer) {
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
  const sizes = isQuick ? QUICK : SIZES;
  const world = await makeWorld(sql, sizes, say);
  const [{ pid, version }] = await sql`
    select pg_backend_pid() as pid, current_setting('server_version') as version`;
  const lists = createMediaLists({ sql });
  const search = createSearch({ sql });
  const places = {
    a_library_of_200000: [world.member, world.large],
    everything_of_a_member_of_it: [world.member],
    '200000_saved_by_one_person': [world.collector],
    everything_in_ten_libraries_of_20000: [world.busy],
    '20000_saved_and_a_library_of_20000': [world.reader],
  };
  const results = {};
  for (const [place, [viewer, library_id]] of Object.entries(places)) {
    const measured = {};
    for (const [name, query] of Object.entries(LISTS)) {
      const asked = { sort: 'added', limit: 100, library_id, ...query };
      measured[`page and total, ${name}`] = await measure(pid, () => lists.list(viewer, asked));
    }
    measured.sites = await measure(pid, () => lists.sites(viewer, library_id));
    for (const q of library_id === undefined ? WORDS : []) {
      measured[`search "${q}"`] = await measure(pid, () => search.find(viewer, { q, limit: 20 }));
    }
    results[place] = measured;
    say(`${place}: ${JSON.stringify(measured)}`);
  }
  const plain = plainWay(sql, world.member);
  const plainly = { total: await measure(pid, plain.total), sites: await measure(pid, plain.sites) };
  const member = results.everything_of_a_member_of_it;
  const ratio = (slow, fast) => ({ value: rounded(slow.cpu_ms / fast.cpu_ms), target: 'at least 3' });
  const result = {
    measured_with: { node: process.version, postgresql: version, cpus: os.cpus().length, sizes },
    ratios: {
      page_and_total_of_one_kind_against_a_plain_total: ratio(
        plainly.total,
        member['page and total, of one kind'],
      ),
      sites_against_plain_sites: ratio(plainly.sites, member.sites),
    },
    the_plain_way: plainly,
    ...results,
  };
  if (!isQuick) await writeFile(RESULTS, `${JSON.stringify(result, null, 2)}\n`);
  say(JSON.stringify(result.ratios, null, 2));
});
