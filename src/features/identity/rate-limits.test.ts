import { expect, test } from 'vitest';
import { createPerson, DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { signIn } from '../../../test/support/browser-session.ts';
import { useDatabase } from '../../../test/support/database.ts';

const database = useDatabase();
const app = useApp(database, { NEXUS_REQUESTS_PER_MINUTE: '5,6000,6000,12000' });
/** A second app on the same database, in place of another process. */
const other = useApp(database, { NEXUS_REQUESTS_PER_MINUTE: '5,6000,6000,12000' });

const statuses = async (count: number, ask: (index: number) => Promise<{ status: number }>) => {
  const seen: number[] = [];
  for (let index = 0; index < count; index++) seen.push((await ask(index)).status);
  return seen;
};

test('the request limit of a role applies to a key over all processes', async () => {
  const { key } = await createPerson(app, { role: 'viewer' });
  const ask = (index: number) => (index % 2 ? app : other).call('GET', '/api/v1/me', { key });
  expect(await statuses(7, ask)).toEqual([200, 200, 200, 200, 200, 429, 429]);
  const answer = await app.call('GET', '/api/v1/me', { key });
  expect(answer).toMatchObject(failure(429, 'E_RATE_LIMITED'));
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(5);
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(12);
  // Public routes and other keys are not limited.
  expect((await app.call('GET', '/healthz')).status).toBe(200);
  const { key: another } = await createPerson(app, { role: 'viewer' });
  expect((await app.call('GET', '/api/v1/me', { key: another })).status).toBe(200);
});

test('a key can have its own limit', async () => {
  const { user } = await createPerson(app, { role: 'viewer' });
  const body = { user_id: user.id, requests_per_minute: 8 };
  const made = await app.call('POST', '/api/v1/api-keys', { key: DEV_KEYS.admin, body });
  expect(made.body.data).toMatchObject({ requests_per_minute: 8 });
  const passed = await statuses(10, () => app.call('GET', '/api/v1/me', { key: made.body.data.key }));
  expect(passed.filter((status) => status === 200)).toHaveLength(8);
  for (const requests_per_minute of [0, -1, 1.5, 1_000_001, 'many'])
    expect(
      await app.call('POST', '/api/v1/api-keys', {
        key: DEV_KEYS.admin,
        body: { user_id: user.id, requests_per_minute },
      }),
    ).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
});

test('a signed-in user has one limit over all browsers', async () => {
  const { user } = await createPerson(app, { role: 'viewer' });
  const signInByLink = async () => {
    const { path } = await app.services.signInLinks.create(user, { name: 'test' });
    return signIn(app, { sign_in_token: path.replace('/app/welcome#', '') });
  };
  const [first, second] = [await signInByLink(), await signInByLink()];
  const passed = await statuses(8, (index) => (index % 2 ? first : second).call('GET', '/api/v1/me'));
  expect(passed.filter((status) => status === 200)).toHaveLength(5);
});
