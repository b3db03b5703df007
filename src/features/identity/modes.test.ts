import { describe, expect, test } from 'vitest';
import { createPerson, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import type { Principal } from '../../contract/identity.ts';

const database = useDatabase();
const open = useApp(database, { NEXUS_RAW_MODE_ENABLED: 'true' });
const closed = useApp(database, { NEXUS_RAW_MODE_ENABLED: 'false' });

async function principal(
  app: typeof open,
  person: { role: 'operator' | 'researcher' | 'admin'; raw: boolean },
) {
  const { key } = await createPerson(app, person);
  const { body } = await app.call('GET', '/api/v1/auth/whoami', { key });
  return body as Principal;
}

describe('RAW mode', () => {
  test.each(['researcher', 'admin'] as const)(
    'is allowed to a %s with a raw key where it is enabled',
    async (role) => {
      const who = await principal(open, { role, raw: true });
      expect(who.allowed_modes).toEqual(['PUBLIC', 'RAW']);
      await open.services.authentication.requireMode(who, 'RAW', { name: who.owner });
    },
  );

  test.each([
    ['the server does not enable it', closed, { role: 'admin', raw: true }],
    ['the key does not allow it', open, { role: 'admin', raw: false }],
    ['the role is below researcher', open, { role: 'operator', raw: true }],
  ] as const)('is refused and audited when %s', async (_case, app, person) => {
    const who = await principal(app, person);
    expect(who.allowed_modes).toEqual(['PUBLIC']);
    const attempt = app.services.authentication.requireMode(who, 'RAW', { name: who.owner });
    await expect(attempt).rejects.toMatchObject({ code: 'E_MODE_FORBIDDEN' });
    const [entry] =
      await database.sql`select mode, actor from audit_logs where action = 'auth.mode_refused' order by id desc`;
    expect(entry).toEqual({ mode: 'RAW', actor: who.owner });
  });
});

test('PUBLIC mode is always allowed', async () => {
  const who = await principal(closed, { role: 'operator', raw: false });
  await closed.services.authentication.requireMode(who, 'PUBLIC', { name: who.owner });
});
