import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Media } from '../../src/contract/media.ts';
import { DEV_KEYS } from '../support/app.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { newDirectory } from '../support/workspace.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { contentOf, expectAccessible, openLibrary, signIn } from './person.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Page ${request.url?.slice(1)}` }));
});
const chromium = useChromium();

const link = (name: string) => `${nexus.site.url}/${name}`;

/** Two links in the formats of three programs. */
const FILES = {
  'bookmarks.html': (a: string, b: string) =>
    `<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>News</H3><DL><p><DT><A HREF="${a}" TAGS="x,y">A</A>
     <DT><A HREF="javascript:alert(1)">No link</A></DL><DT><H3>Recipes</H3><DL><p><DT><A HREF="${b}">B</A></DL></DL>`,
  'part_000000.csv': (a: string, b: string) =>
    `title,url,time_added,tags,status\n"A, again",${a},1700000000,,unread\nB,${b},1700000001,x|y,archive\n`,
  'metadata_0_to_20.json': (a: string, b: string) =>
    JSON.stringify(
      [a, b].map((url) => ({ slug: url, url, savedAt: '2024-01-01T00:00:00Z', labels: [], state: 'Active' })),
    ),
};

async function choose(page: Page, files: { name: string; content: string }[]): Promise<void> {
  await page.goto(`${nexus.url}/app/import`);
  await page
    .getByLabel('Files to import')
    .setInputFiles(files.map(({ name, content }) => ({ name, mimeType: '', buffer: Buffer.from(content) })));
}

/** The counts of the results. */
const counts = (page: Page) =>
  page
    .locator('.transfer-counts div')
    .evaluateAll((parts) =>
      Object.fromEntries(
        parts.map((part) => [part.querySelector('dt')?.textContent, part.querySelector('dd')?.textContent]),
      ),
    );

describe('an import', () => {
  test('shows the content of three files, imports the chosen folders, and shows the results', async () => {
    const page = await chromium.open();
    await signIn(page, nexus, DEV_KEYS.operator);
    await nexus.call('POST', '/api/v1/media', { key: DEV_KEYS.operator, body: { url: link('known') } });
    const files = Object.entries(FILES).map(([name, write], n) => ({
      name,
      content: write(link(n === 0 ? 'known' : `a${n}`), link(`b${n}`)),
    }));
    await choose(page, files);
    await page.getByText('Bookmarks, Pocket, Omnivore: 6 links').waitFor();
    await page.getByText('2 tags').waitFor();
    await page.getByText('1 archived item').waitFor();
    await page.getByText('1 finished item').waitFor();
    await page.getByText('1 entry skipped (not a link)').click();
    await page.getByText('Does not start with http or https.').waitFor();
    await expectAccessible(page);

    await page.getByLabel(/Recipes/).uncheck();
    await page.getByRole('button', { name: 'Import 5 links' }).click();
    await page.getByText('Import complete.').waitFor();
    expect(await counts(page)).toEqual({ new: '4', 'already saved': '1', 'not saved': '0' });
    await expectAccessible(page);

    // Its address leads back to it.
    const address = page.url();
    await page.goto(`${nexus.url}/app/`);
    await page.getByRole('heading', { name: 'My library' }).waitFor();
    await page.goto(address);
    await page.getByText('Import complete.').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download results (CSV)' }).click(),
    ]);
    const table = await contentOf(download);
    expect(table.trim().split('\r\n')).toHaveLength(6);
    expect(table).toMatch(new RegExp(`^${link('known')},duplicate,`, 'm'));

    await page.getByRole('link', { name: 'Open my library' }).click();
    await page.getByRole('link', { name: 'Page a1' }).waitFor();
    const { body } = await nexus.call('GET', '/api/v1/tags', { key: DEV_KEYS.operator });
    // The tags in the file, and the name of the folder.
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['News', 'x', 'y']);
  });

  test('goes into a library from its empty page', async () => {
    const key = DEV_KEYS.researcher;
    const { body } = await nexus.call('POST', '/api/v1/libraries', { key, body: { name: 'Shelf' } });
    const page = await chromium.open();
    await signIn(page, nexus, key);
    await page.goto(`${nexus.url}/app/library/${body.data.id}`);
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByLabel('Or paste links').fill(`Look at ${link('pasted')}, and ${link('other')}.`);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Text: 2 links').waitFor();
    expect(await page.getByLabel('Import to').inputValue()).toBe(body.data.id);
    await page.getByRole('button', { name: 'Import 2 links' }).click();
    await page.getByRole('link', { name: 'Open library' }).click();
    await page.getByRole('link', { name: 'Page pasted' }).waitFor();
    await page.getByRole('heading', { name: 'Shelf' }).waitFor();
  });

  test('of 20,000 links shows its progress, does not freeze the page, and can be cancelled', async () => {
    const page = await chromium.open();
    await signIn(page, nexus, DEV_KEYS.admin);
    const rows = Array.from(
      { length: 20_000 },
      (_, n) => `"${'x'.repeat(500)}",http://127.0.0.1:9/${n},1700000000,,unread\n`,
    );
    const file = path.join(await newDirectory(), 'part_000000.csv');
    await writeFile(file, `title,url,time_added,tags,status\n${rows.join('')}`);
    await page.goto(`${nexus.url}/app/import`);
    // The longest time between two frames.
    await page.evaluate(`(() => {
      window.longest = 0;
      let last = performance.now();
      const tick = (now) => { window.longest = Math.max(window.longest, now - last); last = now; requestAnimationFrame(tick); };
      requestAnimationFrame(tick);
    })()`);
    await page.getByLabel('Files to import').setInputFiles(file);
    await page.getByText('Pocket: 20,000 links').waitFor();
    expect(await page.evaluate('window.longest')).toBeLessThan(2000);
    await page.getByRole('button', { name: 'Import 20,000 links' }).click();
    await page.getByRole('progressbar').waitFor({ timeout: 60_000 });
    expect(new URL(page.url()).searchParams.get('jobs')?.split('_')).toHaveLength(2);
    await page.getByText(/^[1-9][\d,]* of 20,000 links$/).waitFor({ timeout: 60_000 });
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Cancel import' }).click();
    await page
      .getByText('The import was cancelled. Links that were already imported stay.')
      .waitFor({ timeout: 60_000 });
    const { skipped = '0', new: made = '0' } = await counts(page);
    const number = (text: string) => Number(text.replaceAll(',', ''));
    expect(number(made)).toBeGreaterThan(0);
    expect(number(skipped) + number(made)).toBe(20_000);
  });

  test('of a broken file changes nothing and says what to do', async () => {
    const page = await chromium.open();
    await signIn(page, nexus, DEV_KEYS.operator);
    const { body: before } = await nexus.call('GET', '/api/v1/media', { key: DEV_KEYS.operator });
    await choose(page, [{ name: 'export.json', content: '{"bookmarks": [' }]);
    await page.getByRole('alert').getByText('Export it again').waitFor();
    // Dropped anywhere on the page.
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['nothing'], 'notes.txt', { type: 'text/plain' }));
      return transfer;
    })()`);
    for (const event of ['dragover', 'drop'])
      await page.dispatchEvent('h1', event, { dataTransfer: transfer });
    await page.getByRole('alert').getByText('No links found.').waitFor();
    await expectAccessible(page);
    const { body: after } = await nexus.call('GET', '/api/v1/media', { key: DEV_KEYS.operator });
    expect(after.page.total).toBe(before.page.total);
  });

  test('is refused when the role or the library does not allow it', async () => {
    const page = await chromium.open();
    await openLibrary(page, nexus, DEV_KEYS.viewer);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Import links' }).click();
    await page.getByText('Your role is viewer').waitFor();
    expect(await page.getByLabel('Files to import').count()).toBe(0);
    await expectAccessible(page);

    const [owner, member] = [await nexus.person('owner'), await nexus.person('member', 'operator')];
    const as = (key: string, path: string, body?: unknown) => nexus.call('POST', path, { key, body });
    const { id } = (await as(owner.key, '/api/v1/libraries', { name: 'Theirs' })).body.data;
    const invited = await as(owner.key, `/api/v1/libraries/${id}/invites`, {
      invitee_user_id: member.id,
      role: 'member',
    });
    await as(member.key, `/api/v1/libraries/invites/${invited.body.data.id}/accept`);
    const theirs = await chromium.open();
    await signIn(theirs, nexus, member.key);
    await theirs.goto(`${nexus.url}/app/import?library=${id}`);
    await theirs.getByLabel('Or paste links').fill(link('refused'));
    await theirs.getByRole('button', { name: 'Continue' }).click();
    await theirs.getByText('Only contributors and editors can add items to Theirs').waitFor();
    expect(await theirs.getByLabel('Import to').inputValue()).not.toBe(id);
    await expectAccessible(theirs);
  });
});

describe('an export', () => {
  test('is downloaded from the settings, and contains the same links when it is imported', async () => {
    const mover = await nexus.person('mover');
    for (const name of ['one', 'two?x=1&y=2', 'three']) {
      const body = { url: link(name), tags: ['sea/tides'] };
      await nexus.call('POST', '/api/v1/media', { key: mover.key, body });
    }
    const page = await chromium.open({ acceptDownloads: true });
    await signIn(page, nexus, mover.key);
    const fetched = async (name: string) => {
      await page.goto(`${nexus.url}/app/settings`);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name }).click(),
      ]);
      return { name: download.suggestedFilename(), content: await contentOf(download) };
    };
    const json = await fetched('Everything (JSON)');
    const html = await fetched('Bookmarks (HTML)');
    expect(json.name).toBe('My library.json');
    expect(html.name).toBe('My library.html');
    expect((await fetched('Markdown (ZIP)')).name).toBe('My library.zip');
    // The click has scrolled, and the top bar may cover half of a field.
    await page.evaluate('scrollTo(0, 0)');
    await expectAccessible(page);

    const urls = async (key: string) => {
      const { body } = await nexus.call('GET', '/api/v1/media?sort=title', { key });
      return body.data
        .map(
          ({ canonical_url, mine }: Pick<Media, 'canonical_url' | 'mine'>) => `${canonical_url} ${mine.tags}`,
        )
        .toSorted();
    };
    for (const [username, file] of [
      ['by-json', json],
      ['by-html', html],
    ] as const) {
      const newcomer = await nexus.person(username);
      const theirs = await chromium.open();
      await signIn(theirs, nexus, newcomer.key);
      await choose(theirs, [file]);
      await theirs.getByRole('button', { name: 'Import 3 links' }).click();
      await theirs.getByText('Import complete.').waitFor();
      expect(await urls(newcomer.key)).toEqual(await urls(mover.key));
    }
  });

  test('of one document is Markdown', async () => {
    const page = await chromium.open({ acceptDownloads: true });
    const reader = await nexus.person('reader');
    await nexus.call('POST', '/api/v1/media', { key: reader.key, body: { url: link('markdown') } });
    await openLibrary(page, nexus, reader.key);
    await page.getByRole('link', { name: 'Page markdown' }).waitFor();
    await page.getByRole('button', { name: 'Actions for Page markdown' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Download as Markdown' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('Page markdown.md');
    expect(await contentOf(download)).toContain('nobody had touched the ink');
  });
});

describe('the save page', () => {
  test('leads through the sign-in page, saves on a click, and links to the saved item', async () => {
    const person = await nexus.person('sharer');
    const page = await chromium.open();
    // The browser logs the 401 as an error.
    chromium.forgive(/401/);
    const shared = new URLSearchParams({ title: 'Shared', text: `Look: ${link('shared')}` });
    await page.goto(`${nexus.url}/app/save?${shared}`);
    await page.getByRole('button', { name: 'Use an API key instead' }).click();
    await page.getByLabel('API key').fill(person.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText(link('shared')).waitFor();
    await expectAccessible(page);
    expect((await nexus.call('GET', '/api/v1/media', { key: person.key })).body.page.total).toBe(0);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Saved' }).waitFor();
    await page.getByRole('link', { name: 'Read' }).click();
    await page.getByText('nobody had touched the ink').first().waitFor();
  });

  test('does not save when it is opened, nor by a key press that was meant for the page before', async () => {
    const person = await nexus.person('careful');
    const page = await chromium.open();
    await signIn(page, nexus, person.key);
    const asked: string[] = [];
    page.on('request', (request) => void (request.method() !== 'GET' && asked.push(request.url())));
    // Another site redirects here while the person is typing.
    await page.goto(link('evil'));
    await page.evaluate(`location.href = ${JSON.stringify(`${nexus.url}/app/save?url=${link('evil')}`)}`);
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('button[type=submit]:enabled').waitFor();
    expect(asked).toEqual([]);
    const { headers } = await nexus.call('GET', '/app/save');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect((await nexus.call('GET', '/api/v1/media', { key: person.key })).body.page.total).toBe(0);
  });

  test('is opened by the bookmarklet and closes itself', async () => {
    const person = await nexus.person('marker');
    const page = await chromium.open();
    await signIn(page, nexus, person.key);
    await page.goto(`${nexus.url}/app/settings`);
    const button = page.getByRole('link', { name: 'Save to Nexus' });
    const code = (await button.getAttribute('href')) ?? '';
    expect(code).toMatch(/^javascript:/);
    await button.click();
    await page.getByText('Drag it to your bookmarks bar').waitFor();

    await page.goto(link('marked?x=1&y=2'));
    const [window] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(decodeURIComponent(code.slice('javascript:'.length))),
    ]);
    await window.getByRole('heading', { name: 'Page marked?x=1&y=2' }).waitFor();
    const closed = window.waitForEvent('close');
    await window.getByRole('button', { name: 'Save' }).click();
    await closed;
    const { body } = await nexus.call('GET', '/api/v1/media', { key: person.key });
    expect(body.data[0]).toMatchObject({ requested_url: link('marked?x=1&y=2') });
  });

  test('shows a message when no link was shared', async () => {
    const page = await chromium.open();
    await signIn(page, nexus, DEV_KEYS.viewer);
    await page.goto(`${nexus.url}/app/save?url=javascript:alert(1)&text=nothing`);
    await page.getByRole('alert').getByText('No link found').waitFor();
    await expectAccessible(page);
  });
});

test('the manifest declares a share target and icons', async () => {
  const { body, headers } = await nexus.call('GET', '/app/manifest.webmanifest');
  expect(headers.get('content-type')).toContain('manifest+json');
  const manifest = typeof body === 'string' ? JSON.parse(body) : body;
  expect(manifest.share_target).toMatchObject({ action: '/app/save', method: 'GET' });
  for (const { src, type, sizes } of manifest.icons) {
    const response = await fetch(nexus.url + src);
    expect(response.headers.get('content-type')).toContain(type);
    if (type !== 'image/png') continue;
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
});
