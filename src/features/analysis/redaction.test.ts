import { describe, expect, test } from 'vitest';
import { createPerson, useApp } from '../../../test/support/app.ts';
import { useDatabase } from '../../../test/support/database.ts';
import { saveDocument } from '../../../test/support/documents.ts';
import { createReader } from '../../../test/support/libraries.ts';
import type { Mode } from '../../contract/roles.ts';

const database = useDatabase();
const { sql } = database;
const app = useApp(database, {
  NEXUS_BLOCKED_TERMS: 'zanzibar, marie curie',
  NEXUS_RAW_MODE_ENABLED: 'true',
});

/** Long enough for several chunks. */
const FILLER = 'The ferry crossed the bay again, and the lamp on the pier burned until the morning came. ';

/** Everything that an analysis returns, letters only, without accents. */
async function analysed(html: string[], mode: Mode): Promise<string> {
  const person = await createPerson(app, { raw: true });
  const reader = { id: person.user.id, defaultLibraryId: person.user.default_library_id };
  const body = { media_id: await saveDocument(sql, reader, { html }), mode };
  const answer = await app.call('POST', '/api/v1/analyze', { key: person.key, body });
  expect(answer.body.data.status).toBe('succeeded');
  return JSON.stringify(answer.body.data.run)
    .normalize('NFKD')
    .replace(/[^a-z"]/gi, '');
}

const twice = (html: string) => `<p>${html} is far. We saw ${html} twice, and ${html} again.</p>`;

describe('redacted text is in no layer, span or summary', () => {
  test.each<[string, string[]]>([
    ['plainly', [twice('Zanzibar')]],
    ['over a tag', [twice('Zan<b>zi</b>bar')]],
    ['with a possible line break inside', [twice('Zan<wbr>zi&shy;bar')]],
    ['over a comment', [twice('Zan<!-- -->zibar')]],
    ['written as entities', [twice('&#90;anzi&#x62;ar')]],
    ['in any case', [twice('ZANZIBAR'), twice('zanzibar')]],
    ['with accents', [twice('Zånzibár')]],
    ['decomposed', [twice('Za\u030anziba\u0301r')]],
    ['with what is not seen', [twice('Zan\u200bzi\u2060bar')]],
    ['in full width', [twice('Ｚａｎｚｉｂａｒ')]],
    ['divided at the end of a line', ['<p>We saw Zan-<br>zibar.</p>', '<p>To Zanzi-<br>bar and back.</p>']],
    ['over the end of a fragment', ['<p>It was then that we met Marie</p>', '<p>Curie at the pier.</p>']],
    ['over the end of a paragraph', ['<p>It was then that we met Marie</p><p>Curie at the pier.</p>']],
    [
      'over the end of a chunk',
      Array.from(
        { length: 9 },
        (_, n) => `<p>${FILLER.repeat(24)}${'x'.repeat(n * 30)} Zanzibar ${FILLER}</p>`,
      ),
    ],
  ])('%s', async (_how, html) => {
    expect(await analysed(html, 'PUBLIC')).not.toMatch(/zanzi|zibar|marie|curie/i);
    // Checks that there was something to redact.
    expect(await analysed(html, 'RAW')).toMatch(/zanzi|zibar|marie|curie/i);
  });
});

test('the hash of a run is that of the redacted text, and confirms no guess', async () => {
  const reader = await createReader(app);
  const hashes = [];
  for (const name of ['Zanzibar', 'ZANZIBAR']) {
    const media_id = await saveDocument(sql, reader, { html: `<p>To ${name}.</p>` });
    const { body } = await reader.post('/api/v1/analyze', { media_id });
    hashes.push(body.data.run.text_sha256);
  }
  expect(hashes[0]).toBe(hashes[1]);
});
