// Measures work with many documents: auditing all of them, finding related documents, and saving ten thousand links. It
// uses the job engine and the services of the build on a separate PostgreSQL with a statement timeout of ten minutes.
// Writes bench/results/documents.json. `--quick` uses small numbers and writes nothing.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseConfig } from '../src/app/config.ts';
import { createNexus } from '../src/app/nexus.ts';
import { createResources } from '../src/app/resources.ts';
import { findRelated } from '../src/features/graph/related-store.ts';
import { insertSearchRows, searchRowsOf } from '../src/features/media/search/search-rows.ts';
import { openDatabase, writeStatements } from '../src/platform/database/database.ts';
import { findPackagedServer } from '../src/platform/database/embedded/binaries.ts';
import { prepareCluster, startCluster, stopCluster } from '../src/platform/database/embedded/cluster.ts';
import { migrate, readMigrations } from '../src/platform/database/migrator.ts';
import { createLogger } from '../src/platform/telemetry/logger.ts';
import { createMetrics } from '../src/platform/telemetry/metrics.ts';

const isQuick = process.argv.includes('--quick');
const [SMALL, LARGE, LINKS] = isQuick ? [500, 2000, 1000] : [10_000, 100_000, 10_000];
const FEW = 1000;
const RESULTS = new URL('results/documents.json', import.meta.url);
const log = createLogger({ level: 'silent', format: 'json' });
const actor = { name: 'bench' };

const say = (line) => process.stdout.write(`${line}\n`);
const rounded = (value, digits = 1) => Number(value.toFixed(digits));
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];

/** An SQL expression for name n: two invented words. Lower numbers are mentioned in more documents. */
const NAME = `initcap(translate(substr(md5(n::text), 1, 6), '0123456789', 'ghijklmnop')) || ' ' ||
  initcap(translate(substr(md5(n::text), 7, 7), '0123456789', 'ghijklmnop'))`;

/** Creates documents `first` to `last` with six names and two links each, like an extraction. */
async function makeDocuments(sql, person, first, last) {
  const client = await sql.connect();
  await client.query(
    `create or replace function pg_temp.name_of(n int) returns text language sql immutable as $$ select ${NAME} $$`,
  );
  await client.query(
    `with draft as materialized (
       select
         number,
         ('01900000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid as id,
         array(
           select pg_temp.name_of((20000 * power(random(), 3))::int) from generate_series(1, 6) where number > 0
         ) as names,
         array(
           select 'https://example.org/document/' || (1 + floor(random() * $4))::int
           from generate_series(1, 2) where number > 0
         ) as links
       from generate_series($1::int, $2::int) as number
     ),
     media as (
       insert into media (
         id, kind, title, created_by_user_id, processing_status, canonical_url, plain_text, language,
         processing_completed_at
       )
       select
         id, 'web_article', 'Document ' || number, $3, 'ready', 'https://example.org/document/' || number,
         'We met ' || array_to_string(names, ' and then we met ') || ' by the river.' || E'\\nSee also and more.',
         'en', now() - interval '1 day'
       from draft
     ),
     fragment as (
       insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text)
       select
         gen_random_uuid(), id, 0,
         '<p>We met ' || array_to_string(names, ' and then we met ') || ' by the river.</p><p>See <a href="'
           || links[1] || '">also</a> and <a href="' || links[2] || '">more</a>.</p>',
         'We met ' || array_to_string(names, ' and then we met ') || ' by the river.' || E'\\nSee also and more.'
       from draft
     ),
     saved as (
       insert into default_library_intrinsics (default_library_id, media_id) select $5, id from draft
     )
     insert into library_media (library_id, media_id, is_derived) select $5, id, true from draft`,
    [first, last, person.id, LARGE, person.default_library_id],
  );
  client.release();
  const isMissing = sql`not exists (select from media_search where media_id = media.id)`;
  await insertSearchRows(sql, searchRowsOf(sql, isMissing));
}

/** Creates branches without events for the first documents. */
async function makeBranches(sql, person, count) {
  await sql`
    with branch as (
      insert into branches (
        id, media_id, name, base_hash, base_length, text_hash, text_length, created_by_user_id
      )
      select gen_random_uuid(), id, 'branch', hash, char_length(plain_text), hash, char_length(plain_text), ${person.id}
      from media
      cross join lateral (select encode(sha256(convert_to(plain_text, 'UTF8')), 'hex') as hash) as hashed
      order by id
      limit ${count}
      returning id, media_id
    )
    insert into branch_snapshots (branch_id, position, text)
    select branch.id, 0, media.plain_text from branch join media on media.id = branch.media_id`;
}

async function settle(sql) {
  const client = await sql.connect();
  await client.query('vacuum analyze');
  client.release();
}

/** Runs a job, and measures its time and the peak memory of this process. */
async function runJob(sql, queue, { type, payload, createdBy }) {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  const begin = performance.now();
  const { id } = await queue.runInline({ type: queue.types.get(type), payload, createdBy });
  const seconds = (performance.now() - begin) / 1000;
  clearInterval(watch);
  const [attempt] = await sql`select status, result, error_text from job_attempts where job_id = ${id}`;
  if (attempt?.status !== 'succeeded') throw new Error(`${type} failed: ${attempt?.error_text}`);
  return { result: attempt.result, seconds, peakMb: peak / 2 ** 20 };
}

async function audit(sql, queue, name, expected) {
  await settle(sql);
  const repair = await runJob(sql, queue, { type: 'integrity_audit', payload: { repair: true } });
  await settle(sql);
  const clean = await runJob(sql, queue, { type: 'integrity_audit', payload: {} });
  if (clean.result.inconsistency_count !== 0) throw new Error(JSON.stringify(clean.result.counts));
  if (clean.result.document_count !== expected) throw new Error('Not all documents were counted.');
  const figures = {
    documents: expected,
    seconds: rounded(clean.seconds),
    documents_per_second: Math.round(expected / clean.seconds),
    inconsistencies: clean.result.inconsistency_count,
    peak_mb: Math.round(clean.peakMb),
    repair: { seconds: rounded(repair.seconds), mended: repair.result.counts },
  };
  say(`${name}: ${expected} documents in ${figures.seconds} s, peak memory ${figures.peak_mb} MB`);
  say(`  ${JSON.stringify(figures.repair)}`);
  return figures;
}

async function related(services, viewer, name, ids) {
  const samples = [];
  let found = 0;
  for (const id of ids) {
    const begin = performance.now();
    found += (await services.graph.related(viewer, id, 20)).length;
    samples.push(performance.now() - begin);
  }
  const figures = {
    p50_ms: rounded(quantile(samples, 0.5)),
    p95_ms: rounded(quantile(samples, 0.95)),
    found_on_average: rounded(found / ids.length),
  };
  say(
    `related, ${name}: ${figures.p50_ms} ms (p50), ${figures.p95_ms} ms (p95), ${figures.found_on_average} found on average`,
  );
  return figures;
}

const GROWING = [
  'document_entities',
  'document_links',
  'media',
  'library_media',
  'default_library_intrinsics',
];

/** Returns the tables that grow with the documents and that the query for related documents scans sequentially. */
async function scannedTables(sql, viewer, id) {
  const client = await sql.connect();
  let plan = '';
  const query = async ({ text, values }) => {
    const { rows } = await client.query(`explain (analyze) ${text}`, values);
    plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return { rows: [], rowCount: 0 };
  };
  await findRelated(writeStatements({ query }, false), viewer, id, 20);
  client.release();
  if (process.argv.includes('--plan')) say(plan);
  return GROWING.filter((table) => new RegExp(`Seq Scan on ${table}\\b`).test(plan));
}

async function measure(sql, directory) {
  const config = parseConfig({ NEXUS_ENV: 'test', NEXUS_DATA_DIR: directory });
  const resources = createResources({ config, log });
  const nexus = createNexus({ config, sql, log, metrics: createMetrics(), resources });
  const { services, queue } = nexus;
  try {
    const reader = await services.users.create({ username: 'reader', role: 'researcher' }, actor);
    const other = await services.users.create({ username: 'other', role: 'researcher' }, actor);
    const figures = { machine: `${os.cpus().length} cores, Node.js ${process.version}` };

    await makeDocuments(sql, reader, 1, SMALL);
    await makeBranches(sql, reader, SMALL / 10);
    figures.audit_small = await audit(sql, queue, 'audit', SMALL);
    await makeDocuments(sql, reader, SMALL + 1, LARGE);
    figures.audit_large = await audit(sql, queue, 'audit', LARGE);

    // A person who can read one document in a hundred.
    await sql`
      with few as (select id from media order by md5(id::text) limit ${FEW}),
      saved as (insert into default_library_intrinsics select ${other.default_library_id}, id from few)
      insert into library_media (library_id, media_id, is_derived)
      select ${other.default_library_id}, id, true from few`;
    await settle(sql);
    const rows = await sql`
      select media_id as id from default_library_intrinsics
      where default_library_id = ${other.default_library_id} limit 200`;
    const ids = rows.map(({ id }) => id);
    const viewer = (user) => ({ user_id: user.id, default_library_id: user.default_library_id });
    figures.related = {
      who_reads_all: await related(services, viewer(reader), 'for a person who can read all', ids),
      who_reads_few: await related(
        services,
        viewer(other),
        'for a person who can read one in a hundred',
        ids,
      ),
    };

    const scanned = await scannedTables(sql, viewer(other), ids[0]);
    figures.related.tables_read_whole = scanned;
    say(`tables that related scans sequentially: ${scanned.join(', ') || 'none'}`);

    const urls = Array.from({ length: LINKS }, (_, n) => `https://example.org/batch/${n}`);
    const createdBy = { name: reader.username, userId: reader.id };
    const first = await runJob(sql, queue, { type: 'ingest_batch', payload: { urls }, createdBy });
    const again = await runJob(sql, queue, { type: 'ingest_batch', payload: { urls }, createdBy });
    if (first.result.documents_ingested !== LINKS || again.result.duplicate !== LINKS)
      throw new Error('Links were lost.');
    figures.ingest_batch = {
      links: LINKS,
      seconds: rounded(first.seconds),
      again_seconds: rounded(again.seconds),
    };
    say(
      `ingest_batch: ${LINKS} links in ${figures.ingest_batch.seconds} s, again in ${figures.ingest_batch.again_seconds} s`,
    );
    return figures;
  } finally {
    await nexus.close();
    await resources.close();
  }
}

const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-'));
await chmod(directory, 0o711);
const cluster = await prepareCluster(await findPackagedServer(), path.join(directory, 'postgres'));
await startCluster(cluster);
const open = (database, statementTimeoutSeconds) =>
  openDatabase(
    { ...cluster.connection, database },
    {
      poolSize: 4,
      statementTimeoutSeconds,
      idleTransactionTimeoutSeconds: 60,
      applicationName: 'nexus bench',
    },
  );
try {
  const admin = open('postgres', 30);
  await admin`create database bench`;
  await admin.end();
  const sql = open('bench', 600);
  await migrate(sql, await readMigrations());
  const figures = await measure(sql, directory);
  await sql.end();
  if (!isQuick) {
    await mkdir(new URL('.', RESULTS), { recursive: true });
    await writeFile(RESULTS, `${JSON.stringify(figures, null, 2)}\n`);
  }
} finally {
  await stopCluster(cluster);
  await rm(directory, { recursive: true, force: true });
}
