import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Fleet, patiently, startFleetOn } from '../support/fleet.ts';
import { type ReplicatedServer, startReplicatedServer } from '../support/replicated-server.ts';

const PAGES = 30;

let fleet: Fleet<ReplicatedServer>;
beforeAll(async () => {
  fleet = await startFleetOn(await startReplicatedServer(), { workers: 1, leaseSeconds: 2 });
});
afterAll(() => fleet.stop());

test('the primary is killed and its standby promoted: nothing acknowledged is lost, and all work goes on', async () => {
  // The log of the worker says what it waited for.
  onTestFailed(() => void process.stderr.write(fleet.workers.map((worker) => worker.output()).join('\n')));
  let saved = 0;
  const saveUntil = async (last: number) => {
    while (saved < last) await fleet.save(saved++);
  };
  await saveUntil(PAGES / 3);
  const saving = Promise.all([saveUntil(PAGES), saveUntil(PAGES)]);
  await fleet.postgres.killPrimary();
  await fleet.postgres.promoteStandby();
  await saving;

  // Each save was repeated until it was acknowledged, so each page is there once.
  await patiently(async () => expect(await fleet.states()).toEqual({ ready: PAGES }), 90_000);
  await patiently(async () => {
    const [events, ...others] = await fleet.sql`
      select status, count(*) filter (where event_type = 'media.ready') as ready from outbox_event group by status`;
    expect([events, others]).toEqual([{ status: 'delivered', ready: PAGES }, []]);
  });
  expect(await fleet.sql`select from job_attempts where status = 'failed'`).toHaveLength(0);
});
