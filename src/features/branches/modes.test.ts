import { beforeAll, describe, expect, test } from 'vitest';
import { DEV_KEYS, failure, useApp } from '../../../test/support/app.ts';
import { append, fork, insert } from '../../../test/support/branches.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { createReader, type Reader } from '../../../test/support/libraries.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, { NEXUS_RAW_MODE_ENABLED: 'true', NEXUS_BLOCKED_TERMS: 'xylophone, blue door' });

let reader: Reader;
let branchId: string;
beforeAll(async () => {
  reader = await createReader(app);
});

/** Creates a branch of a document with this text, with these events. */
async function branchOf(text: string, ...events: object[]): Promise<void> {
  const document = await saveDocument(sql, reader, { html: `<p>${text}</p>` });
  branchId = (await fork(reader, { media_id: document })).id;
  if (events.length > 0) expect((await append(reader, branchId, 0, events)).status).toBe(201);
}

const read = async (path: string) => (await reader.get(`/api/v1/branches/${branchId}/${path}`)).body;
const eventTexts = async (query = '') =>
  (await read(`events?${query}`)).data.map(({ text }: { text: string }) => text);

test('RAW mode needs its three conditions', async () => {
  await branchOf('a xylophone');
  for (const path of ['text', 'events', 'compare']) {
    const answer = await reader.get(`/api/v1/branches/${branchId}/${path}?mode=RAW`);
    expect(answer).toMatchObject(failure(403, 'E_MODE_FORBIDDEN'));
  }
});

describe('policies are applied to events with the text around them', () => {
  test('a word that two events form is redacted in both', async () => {
    await branchOf('The .', insert(4, 'xylo'), insert(8, 'phone'), insert(4, 'old '));
    expect(await eventTexts()).toEqual(['xylo', '█████', 'old ']);
    expect((await read('text')).data.text).toBe('The old █████████.');
  });

  test('a word that an event forms with the document is redacted', async () => {
    await branchOf('A xylo stands by the blue wall.', insert(6, 'phone'));
    await append(reader, branchId, 1, [{ kind: 'replace', at: 31, length: 4, text: 'door' }]);
    expect(await eventTexts()).toEqual(['█████', '████']);
  });

  test('a word that a deletion forms is redacted in the next event', async () => {
    await branchOf('xylo-phone', { kind: 'delete', at: 4, length: 1 }, insert(9, ' plays'));
    expect(await eventTexts()).toEqual([null, ' plays']);
    expect((await read('text')).data.text).toBe('█████████ plays');
  });

  test('a word is redacted even when it became part of another word', async () => {
    await branchOf('phones', insert(0, 'xylophone'), insert(0, 'megaxylo'));
    expect(await eventTexts()).toEqual(['█████████', 'megaxylo']);
    expect((await read('text')).data.text).toBe('megaxyloxylophonephones');
  });

  test('offsets are right after surrogate pairs', async () => {
    await branchOf('😀😀 xylo', insert(7, 'phone'), insert(0, '😀'));
    expect(await eventTexts()).toEqual(['█████', '😀']);
  });

  test('on every page of the list', async () => {
    await branchOf('.', insert(0, 'xylo'), insert(4, 'phone'), insert(0, 'a '));
    const first = await read('events?limit=1');
    expect(first.data[0].text).toBe('xylo');
    expect(await eventTexts(`limit=1&cursor=${first.page.next_cursor}`)).toEqual(['█████']);
  });

  test('an event is checked alone when the stored text is damaged', async () => {
    await branchOf('.', insert(0, 'xylo'), insert(4, 'phone'), insert(0, 'a xylophone '));
    await sql`update branch_snapshots set text = 'another' where branch_id = ${branchId}`;
    expect(await eventTexts()).toEqual(['xylo', 'phone', 'a █████████ ']);
    await sql`update branch_events set at = 5000 where branch_id = ${branchId} and position = 1`;
    expect(await eventTexts()).toHaveLength(3);
  });
});

test('other accents, normal forms and invisible characters do not prevent redaction', async () => {
  await branchOf(
    'The xylophone.',
    { kind: 'normalize', form: 'NFD' },
    insert(8, '\u200b'),
    insert(6, '\u0301'),
  );
  expect((await read('text')).data.text).toBe('The ███████████.');
  expect((await read('compare?from=0')).data.unified).not.toMatch(/xyl|phone/);
});

test('a comparison shows no difference in what is redacted', async () => {
  await branchOf('The xylophone.', { kind: 'replace', at: 4, length: 9, text: 'XYLOPHONE' });
  const { data: compared } = await read('compare?from=0');
  expect(compared).toMatchObject({ is_equal: true, changes: [], unified: '' });
});

test('a blocking policy blocks every answer with the term, and names only the policy', async () => {
  await branchOf('A zebra.', insert(0, 'See: '));
  const policy = { name: 'No stripes', action: 'block', terms: ['zebra'] };
  const made = await app.call('POST', '/api/v1/governance/policies', { key: DEV_KEYS.admin, body: policy });
  for (const path of ['text', 'events', 'compare?from=0']) {
    for (const headers of [{}, { 'if-none-match': '*' }]) {
      const url = `/api/v1/branches/${branchId}/${path}`;
      const answer = await app.call('GET', url, { key: reader.key, headers });
      expect(answer).toMatchObject(failure(403, 'E_GOVERNANCE_BLOCKED'));
      expect(JSON.stringify(answer.body)).not.toContain('zebra');
    }
  }
  const [decision] = await sql`
    select details from audit_logs
    where action = 'governance.decided' and details ->> 'branch_id' = ${branchId} limit 1`;
  expect(decision?.details).toMatchObject({ decision: 'block', policies: made.body.data.id });
});
