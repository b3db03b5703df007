import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, patiently, startFleet } from '../support/fleet.ts';

const PAGES = 60;
const OUTAGES = 3;
const OUTAGE_MS = 3000;

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet({ workers: 2, leaseSeconds: 2 });
});
afterAll(() => fleet.stop());

test('three outages of PostgreSQL while pages are processed leave every page ready', {
  timeout: 240_000,
}, async () => {
  for (let outage = 0; outage < OUTAGES; outage++) {
    const first = (outage * PAGES) / OUTAGES;
    for (let page = first; page < first + PAGES / OUTAGES; page++) await fleet.save(page);
    // In the middle of the work: some pages are being extracted, and none of these is done.
    await patiently(async () => expect((await fleet.states()).extracting).toBeGreaterThan(0));
    await fleet.postgres.stop();
    await pause(OUTAGE_MS);
    await fleet.postgres.start();
  }
  await patiently(async () => expect(await fleet.states()).toEqual({ ready: PAGES }), 120_000);
  const [counted] = await fleet.sql`
    select count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'interrupted') > 0 as any
    from job_attempts`;
  expect(counted).toEqual({ failed: 0, any: true });
});
