import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makeEpub } from '../support/fixtures/epub.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { LEFT_AT_ANALYSIS, signIn } from './person.ts';
import { seedVideo } from './seed.ts';

const nexus = useNexus((_request, response) => void response.writeHead(404).end());
const chromium = useChromium();
const SOON = { timeout: 30_000 };

const CHAPTERS = 30;

/** Each chapter has a link to the last one. */
const BOOK = makeEpub({
  title: 'Thirty lamps',
  chapters: Array.from({ length: CHAPTERS }, (_, index) => ({
    file: `text/${index}.xhtml`,
    title: `Lamp ${index + 1}`,
    body: `<h1>Lamp ${index + 1}</h1>
<p>In London, Ada Lovelace lights lamp number ${index + 1}.</p>
${'<p>It burns until the morning, and nobody reads by it.</p>'.repeat(30)}
<p><a href="${CHAPTERS - 1}.xhtml">To the last lamp</a></p>`,
  })),
});

/** Records the requests for fragments: `index`, or the number of a chapter. */
function watchFragments(page: Page): string[] {
  const requested: string[] = [];
  page.on('request', (request) => {
    const [, name] = /\/fragments(?:\/(\w+))?$/.exec(new URL(request.url()).pathname) ?? [];
    if (request.url().includes('/fragments')) requested.push(name ?? 'all');
  });
  return requested;
}

const heading = (page: Page, number: number) =>
  page.locator('.prose').getByRole('heading', { name: `Lamp ${number}`, exact: true });

test('a book loads its index and the chapters that are read, not all of them', async () => {
  const { key } = await nexus.person('ada');
  const book = await nexus.uploadBook(key, BOOK);
  const page = await chromium.open();
  await signIn(page, nexus, key);
  const requested = watchFragments(page);
  await page.addInitScript(LEFT_AT_ANALYSIS);
  await page.goto(`${nexus.url}/app/read/${book}`);
  await heading(page, 1).waitFor();
  await page.getByText(`1 of ${CHAPTERS}`).waitFor();
  await expect.poll(() => requested.toSorted(), SOON).toEqual(['0', '1', 'index']);

  // The next chapter is there already; the one after it is fetched in advance.
  await page.keyboard.press('ArrowRight');
  await heading(page, 2).waitFor();
  await expect.poll(() => requested.slice(3), SOON).toEqual(['2']);

  const kept = page.waitForResponse((response) => response.url().endsWith('/reading') && response.ok());
  await page
    .getByRole('navigation', { name: 'Contents' })
    .getByRole('button', { name: 'Lamp 20', exact: true })
    .click();
  await heading(page, 20).waitFor();
  await expect.poll(() => requested.slice(4).toSorted(), SOON).toEqual(['19', '20']);
  await kept;

  await page.reload();
  await heading(page, 20).waitFor();
  // The index may arrive after the chapter.
  await page.getByText(`20 of ${CHAPTERS}`).waitFor();

  await page.getByRole('link', { name: 'To the last lamp' }).click();
  await heading(page, CHAPTERS).waitFor();
  expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  expect(requested).not.toContain('all');
});

test('a finding of every chapter is marked in the open one, without loading the others', async () => {
  const { key } = await nexus.person('grace');
  const book = await nexus.uploadBook(key, BOOK);
  const page = await chromium.open();
  await signIn(page, nexus, key);
  const requested = watchFragments(page);
  await page.addInitScript(LEFT_AT_ANALYSIS);
  await page.goto(`${nexus.url}/app/read/${book}`);
  await heading(page, 1).waitFor();
  await page.keyboard.press('a');
  const panel = page.getByRole('complementary', { name: 'About this document' });
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel.getByRole('button', { name: 'Ada Lovelace' }).click();
  await expect.poll(() => markCount(page), SOON).toBeGreaterThan(0);
  await page.keyboard.press('ArrowRight');
  await heading(page, 2).waitFor();
  await expect.poll(() => markCount(page), SOON).toBeGreaterThan(0);
  await expect.poll(() => requested.toSorted(), SOON).toEqual(['0', '1', '2', 'index']);
});

test('a long transcript is loaded page by page, and marked without further requests', async () => {
  const { key } = await nexus.person('mary');
  const { body } = await nexus.call('GET', '/api/v1/me', { key });
  const video = await seedVideo(nexus.database.sql, body.data);
  await nexus.database.sql`
    insert into media_fragments (id, media_id, idx, html_sanitized, canonical_text, t_start_ms, t_end_ms)
    select
      gen_random_uuid(), ${video}, line, '<p>Ada Lovelace says line ' || line || ' in London.</p>',
      'Ada Lovelace says line ' || line || ' in London.', line * 1000, (line + 1) * 1000
    from generate_series(3, 449) as line`;
  await nexus.database
    .sql`update media set plain_text = 'Ada Lovelace says much in London.' where id = ${video}`;
  const page = await chromium.open();
  await signIn(page, nexus, key);
  const requested = watchFragments(page);
  await page.addInitScript(LEFT_AT_ANALYSIS);
  await page.goto(`${nexus.url}/app/read/${video}`);
  await expect.poll(() => page.locator('.transcript-line').count(), SOON).toBe(450);
  expect(requested).toEqual(['all', 'all', 'all']);
  await page.keyboard.press('a');
  const panel = page.getByRole('complementary', { name: 'About this document' });
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel.getByRole('button', { name: 'Ada Lovelace' }).click();
  await expect.poll(() => markCount(page), SOON).toBeGreaterThan(1);
  expect(requested).toHaveLength(3);
});

function markCount(page: Page): Promise<unknown> {
  return page.evaluate(`CSS.highlights.get('nexus-finding')?.size ?? 0`);
}
