import { expect, test, vi } from 'vitest';
import { saveDocument } from '../support/analysis-documents.ts';
import { createPerson, useApp } from '../support/app.ts';
import { useDatabase } from '../support/database.ts';
import { HARBOUR, SPEECH } from '../support/fixtures/texts.ts';
import { type NexusProcess, startNexus } from '../support/nexus-process.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);

async function startWorker(): Promise<NexusProcess> {
  const worker = startNexus(['worker'], {
    env: {
      NEXUS_DATABASE_URL: database.url,
      // On a busy machine, a worker may be late with its heartbeat without being dead.
      NEXUS_WORKER_LEASE_SECONDS: '4',
      NEXUS_WORKER_POLL_SECONDS: '0.1',
    },
  });
  await worker.prints(/is ready/);
  return worker;
}

async function submit(text: string) {
  const person = await createPerson(app);
  const media_id = await saveDocument(sql, person, text);
  const body = { media_id, execution_mode: 'async' };
  const answer = await app.call('POST', '/api/v1/analyze', { key: person.key, body });
  expect(answer.status).toBe(202);
  const { job_id } = answer.body.data;
  const job = async () => (await app.call('GET', `/api/v1/jobs/${job_id}`, { key: person.key })).body;
  return { ...person, media_id, job };
}

const until = (job: () => Promise<Record<string, unknown>>, status: string) =>
  vi.waitFor(async () => expect(await job()).toMatchObject({ status }), { timeout: 50_000, interval: 50 });

/** Makes the job of a dead worker due now, instead of waiting for its retry delay. */
const untilDue = () =>
  vi.waitFor(
    async () => {
      const due = await sql`update job_queue set due_at = now() where lease_token is null returning job_id`;
      expect(due.length).toBeGreaterThan(0);
    },
    { timeout: 40_000, interval: 50 },
  );

async function expectOneRun({ media_id, job, key }: Awaited<ReturnType<typeof submit>>): Promise<void> {
  const { result, attempts, artifacts } = (await job()) as Record<string, never> & {
    result: { analysis_run_id: string };
    attempts: { status: string }[];
    artifacts: unknown[];
  };
  expect(attempts.map(({ status }) => status)).toEqual(['interrupted', 'succeeded']);
  expect(artifacts).toHaveLength(1);
  const runs = await app.call('GET', `/api/v1/analysis/runs?media_id=${media_id}`, { key });
  expect(runs.body.data).toMatchObject([{ id: result.analysis_run_id, layer_count: 9 }]);
  const told = await sql`select from outbox_event where event_type = 'analysis.completed'
    and payload ->> 'media_id' = ${media_id}`;
  expect(told).toHaveLength(1);
}

test('a worker killed during an analysis: another worker completes it, and there is one run', {
  timeout: 150_000,
}, async () => {
  const asked = await submit(`${HARBOUR} ${SPEECH}\n`.repeat(500));
  const victim = await startWorker();
  await until(asked.job, 'running');
  await victim.stop('SIGKILL');
  expect(await sql`select from analysis_runs where document_id = ${asked.media_id}`).toHaveLength(0);
  const heir = await startWorker();
  await untilDue();
  await until(asked.job, 'succeeded');
  await expectOneRun(asked);
  expect(await heir.stop()).toBe(0);
});

test('a worker killed while it writes the run: nothing is kept, and another worker writes one', {
  timeout: 150_000,
}, async () => {
  const asked = await submit(HARBOUR);
  const holder = await sql.connect();
  await holder.query('begin');
  await holder.query('lock table analysis_layers in exclusive mode');
  const victim = await startWorker();
  await vi.waitFor(async () => {
    const blocked = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    expect(blocked.length).toBeGreaterThan(0);
  }, 30_000);
  await victim.stop('SIGKILL');
  await holder.query('commit');
  holder.release();
  const heir = await startWorker();
  await untilDue();
  await until(asked.job, 'succeeded');
  await expectOneRun(asked);
  expect(await heir.stop()).toBe(0);
});
