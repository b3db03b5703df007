import { expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { signIn } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_REQUESTS_PER_MINUTE: '5,6000,6000,12000' });
/** Another process on the same database. */
const other = useApp(database, { NEXUS_REQUESTS_PER_MINUTE: '5,6000,6000,12000' });

const statuses = async (count: number, ask: (place: number) => Promise<{ status: number }>) => {
  const seen: number[] = [];
  for (let place = 0; place < count; place++) seen.push((await ask(place)).status);
  return seen;
};

test('a key may make as many requests as its role may, over all processes, then it waits', async () => {
  const { key } = await createPerson(app, { role: 'viewer' });
  const ask = (place: number) => (place % 2 ? app : other).call('GET', '/me', { key });
  expect(await statuses(7, ask)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  const answer = await app.call('GET', '/me', { key });
  expect(answer).toMatchObject(failure(429, 'E_RATE_LIMITED'));
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(5);
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(12);
  // What is open to everybody stays so, and others are not held up.
  expect((await app.call('GET', '/healthz')).status).toBe(200);
  const { key: another } = await createPerson(app, { role: 'viewer' });
  expect((await app.call('GET', '/me', { key: another })).status).toBe(200);
});

test('a key may have a limit of its own', async () => {
  const { user } = await createPerson(app, { role: 'viewer' });
  const body = { user_id: user.id, requests_per_minute: 8 };
  const made = await app.call('POST', '/api/v1/api-keys', { key: DEV_KEYS.admin, body });
  expect(made.body).toMatchObject({ requests_per_minute: 8 });
  const passed = await statuses(10, () => app.call('GET', '/me', { key: made.body.key }));
  expect(passed.filter((status) => status === 200)).toHaveLength(8);
  for (const requests_per_minute of [0, -1, 1.5, 1_000_001, 'many'])
    expect(
      await app.call('POST', '/api/v1/api-keys', {
        key: DEV_KEYS.admin,
        body: { user_id: user.id, requests_per_minute },
      }),
    ).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
});

test('who signed in is limited as a person, over all their browsers', async () => {
  const { user } = await createPerson(app, { role: 'viewer' });
  const comeByLink = async () => {
    const { path } = await app.services.signInLinks.create(user, { name: 'test' });
    return signIn(app, { sign_in_token: path.replace('/app/welcome#', '') });
  };
  const [first, second] = [await comeByLink(), await comeByLink()];
  const passed = await statuses(8, (place) => (place % 2 ? first : second).call('GET', '/me'));
  expect(passed.filter((status) => status === 200)).toHaveLength(5);
});
