import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { useChromium } from './chromium.ts';
import { LOOKS, OUT } from './looks.ts';
import { useNexus } from './nexus.ts';
import { openLibrary } from './person.ts';
import { ESSAYS, essayPage } from './tour-essays.ts';

const nexus = useNexus((request, response) => {
  const essay = ESSAYS.find(({ slug }) => request.url === `/${slug}`);
  if (!essay) return void response.writeHead(request.url === '/members' ? 401 : 404).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(essayPage(essay));
});
const chromium = useChromium();
const key = DEV_KEYS.admin;
let essay = '';
let library = '';

beforeAll(async () => {
  await mkdir(OUT, { recursive: true });
  const call = async (method: string, route: string, body?: unknown) =>
    (await nexus.call(method, route, { key, ...(body !== undefined && { body }) })).body.data;
  await call('POST', '/api/v1/media', { url: `${nexus.site.url}/members` });
  library = (await call('POST', '/api/v1/libraries', { name: 'Reading circle' })).id;
  await call('POST', '/api/v1/libraries', { name: 'Typography' });
  const people = [await nexus.person('ines'), await nexus.person('tomasz')];
  for (const { username } of people) {
    await call('POST', `/api/v1/libraries/${library}/invites`, {
      invitee_username: username,
      role: 'member',
    });
  }
  for (const { slug } of ESSAYS) {
    const { media_id } = await call('POST', '/api/v1/media', { url: `${nexus.site.url}/${slug}` });
    await call('POST', `/api/v1/libraries/${library}/media`, { media_id });
    essay = media_id;
  }
  const pdf = makePdf({
    title: 'Tables of the estuary',
    author: 'Harbour office',
    pages: [['High water at noon.']],
  });
  const begun = await call('POST', '/api/v1/media/upload/init', {
    kind: 'pdf',
    filename: 'tables.pdf',
    content_type: 'application/pdf',
    size_bytes: pdf.length,
  });
  await fetch(new URL(begun.upload_url, nexus.url), {
    method: 'PUT',
    headers: begun.upload_headers,
    body: new Uint8Array(pdf),
  });
  await call('POST', `/api/v1/media/${begun.media_id}/ingest`);
  await call('PATCH', '/api/v1/me', { display_name: 'Mara Lindqvist' });
});

test.each(LOOKS)('$name', async ({ name: look, ...screen }) => {
  chromium.forgive(/./);
  const page = await chromium.open(screen);
  const keep = async (name: string) => {
    await page.mouse.move(0, 0);
    return page.screenshot({ path: path.join(OUT, `${name}-${look}.jpg`), type: 'jpeg', quality: 72 });
  };
  await openLibrary(page, nexus, key);
  await page
    .getByText(ESSAYS[0]?.title ?? '')
    .first()
    .waitFor();
  await page.getByText('Fetching and processing').waitFor({ state: 'detached' });
  await settled(page);
  await keep('library');
  await page.keyboard.press('v');
  await page.locator('.media-card').first().waitFor();
  await keep('grid');
  await page.keyboard.press('v');
  await page.goto(`${nexus.url}/app/read/${essay}`);
  await page.locator('.prose p').first().waitFor();
  await settled(page);
  await keep('reader');
  await page.goto(`${nexus.url}/app/search?q=patience`);
  await page.locator('mark').first().waitFor();
  await keep('search');
  await page.goto(`${nexus.url}/app/library/${library}`);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  await page.getByText('(you)').waitFor();
  await keep('share');
});

async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('load');
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}
