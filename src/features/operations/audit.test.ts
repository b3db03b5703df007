import { beforeAll, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { recordAudit } from '../../platform/audit/audit.ts';

const database = useDatabase();
const app = useApp(database);
const read = (query: string) => app.call('GET', `/api/v1/audit?${query}`, { key: DEV_KEYS.admin });

beforeAll(async () => {
  await database.sql`truncate audit_logs`;
  for (let index = 0; index < 6; index++) {
    await recordAudit(database.sql, {
      action: index % 2 ? 'odd' : 'even',
      actor: { name: index < 3 ? 'ana' : 'ben', requestId: `request-${index}` },
      details: { index },
    });
  }
  await database.sql`
    update audit_logs
    set created_at = '2026-01-01T00:00:00Z'::timestamptz + (details->>'index')::int * interval '1 microsecond'
    where (details->>'index')::int < 2`;
});

const indexes = ({ body }: { body: { data: { details: { index: number } }[] } }) =>
  body.data.map(({ details }) => details.index);

test.each([
  ['', [5, 4, 3, 2, 1, 0]],
  ['action=odd', [5, 3, 1]],
  ['actor=ana', [2, 1, 0]],
  ['actor=ana&action=even', [2, 0]],
  ['created_before=2026-02-01T00:00:00Z', [1, 0]],
  ['created_after=2026-02-01T00:00:00Z', [5, 4, 3, 2]],
  ['created_after=2025-12-31T23:00:00%2B00:00&created_before=2026-01-01T00:00:00Z', []],
  ['action=never', []],
])('the filter "%s" shows %j', async (query, expected) => {
  expect(indexes(await read(query))).toEqual(expected);
});

test('pages have no gaps and no duplicates', async () => {
  const first = await read('limit=5');
  expect(first.body.page.has_more).toBe(true);
  const second = await read(`limit=5&cursor=${first.body.page.next_cursor}`);
  expect([...indexes(first), ...indexes(second)]).toEqual([5, 4, 3, 2, 1, 0]);
  expect(second.body.page).toEqual({ has_more: false, next_cursor: null });
});

test('an entry has its action, actor and request id', async () => {
  const { body } = await read('action=odd&limit=1');
  expect(body.data[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    action: 'odd',
    mode: 'PUBLIC',
    actor: 'ben',
    details: { index: 5, request_id: 'request-5' },
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
});

test.each(['created_after=yesterday', 'limit=0', 'limit=201', 'cursor=x', 'action=', 'action=a%00b'])(
  '"%s" is 400',
  async (query) => {
    expect(await read(query)).toMatchObject(failure(400, 'E_INVALID_REQUEST'));
  },
);
