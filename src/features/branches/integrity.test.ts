import { beforeAll, beforeEach, expect, test } from 'vitest';
import { useApp } from '../../../test/support/app.ts';
import { append, fork, HTML, insert } from '../../../test/support/branches.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { createReader, findings } from '../../../test/support/libraries.ts';
import { createBranchCheck } from './integrity.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database);
const check = createBranchCheck(sql, (name, input, options) => app.resources.texts.run(name, input, options));

let branchId: string;
let head: string;
beforeAll(async () => {
  const reader = await createReader(app);
  const media_id = await saveDocument(sql, reader, { html: HTML });
  ({ id: branchId } = await fork(reader, { media_id }));
  const { body } = await append(reader, branchId, 0, [insert(0, 'one '), insert(0, 'two ')]);
  head = body.data.text_hash;
});

/** Each test undoes what it did. */
beforeEach(async () => expect(await findings(sql, check)).toEqual([]));

const SHA256 = expect.stringMatching(/^[0-9a-f]{64}$/);

test('the forked text differs from the base of the branch', async () => {
  const [kept] = await sql<
    [{ text: string }]
  >`select text from branch_snapshots where branch_id = ${branchId}`;
  const write = (text: string) =>
    sql`update branch_snapshots set text = ${text} where branch_id = ${branchId} and position = 0`;
  await write('Never');
  const found = [
    { kind: 'branch_base_altered', branch_id: branchId, position: 0, recorded: SHA256, found: SHA256 },
  ];
  expect(await findings(sql, check, { repair: true })).toEqual(found);
  expect(await findings(sql, check)).toEqual(found);
  await write(kept.text);
});

test.each([1, 2])('event %i is missing', async (position) => {
  const [event] =
    await sql`delete from branch_events where branch_id = ${branchId} and position = ${position} returning *`;
  const found = [{ kind: 'branch_event_missing', branch_id: branchId, position }];
  expect(await findings(sql, check, { repair: true })).toEqual(found);
  await sql`
    insert into branch_events
    select * from jsonb_populate_record(null::branch_events, ${JSON.stringify(event)}::jsonb)`;
});

test('the branch has another head', async () => {
  const point = (hash: string) => sql`update branches set text_hash = ${hash} where id = ${branchId}`;
  await point('feed');
  const found = [
    { kind: 'branch_head_altered', branch_id: branchId, position: 2, recorded: 'feed', found: head },
  ];
  expect(await findings(sql, check, { repair: true })).toEqual(found);
  await point(head);
});
