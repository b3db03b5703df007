import { beforeAll, expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooks, inBothLooksOf } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, openLibrary, signIn } from './person.ts';
import { seedVideo } from './seed.ts';

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaftsversammlung'.repeat(4);
const ARABIC = 'القارئ والصفحة الأخيرة';
const LONG_NAME = 'Everything about reading rooms, their lamps and those who tended them';

const nexus = useNexus((request, response) => {
  if (request.url === '/gone') return void response.writeHead(410).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  if (request.url === '/word') return void response.end(makePage({ title: LONG_WORD }));
  if (request.url === '/arabic') return void response.end(makePage({ title: ARABIC, language: 'ar' }));
  response.end(makePage({ title: 'A page to look at' }));
});
const chromium = useChromium();
let readable = '';
let failed = '';
let library = '';
let arabic = '';
beforeAll(async () => {
  const key = DEV_KEYS.admin;
  const save = async (path: string) =>
    (await nexus.call('POST', '/api/v1/media', { key, body: { url: nexus.site.url + path } })).body.data
      .media_id;
  readable = await save('/page');
  failed = await save('/gone');
  await save('/word');
  arabic = await save('/arabic');
  await nexus.call('POST', '/api/v1/libraries', { key, body: { name: LONG_NAME } });
  library = (await nexus.call('POST', '/api/v1/libraries', { key, body: { name: 'Shelf' } })).body.data.id;
  await nexus.call('POST', `/api/v1/libraries/${library}/media`, { key, body: { media_id: readable } });
});

const LOOKS = 'on a light desktop and a dark phone';

test(`lists and the reader are accessible, fit the screen and log no errors, ${LOOKS}`, () =>
  inBothLooks(chromium, async (page, look) => {
    await signIn(page, nexus, DEV_KEYS.admin);
    const visit = async (path: string, sign: string) => {
      await page.goto(`${nexus.url}/app${path}`);
      await page.getByText(sign).first().waitFor();
      await expectAccessible(page, look);
      await expectToFit(page, look);
    };
    await visit('/', 'A page to look at');
    await page.keyboard.press('v');
    await page.locator('.media-card').first().waitFor();
    await expectAccessible(page, look);
    await page.keyboard.press('v');
    await visit('/?status=failed&sort=title', 'has removed this page permanently');
    await visit(`/library/${library}`, 'A page to look at');
    await visit(`/read/${readable}`, 'nobody had touched the ink');
    await page.getByRole('button', { name: 'Text and colours' }).click();
    await page.getByRole('button', { name: 'Sepia' }).click();
    await expectAccessible(page, look);
    await page.getByRole('button', { name: 'Auto' }).click();
  }));

test(`all other pages are accessible, fit the screen and log no errors, ${LOOKS}`, async () => {
  const page = await chromium.open();
  await signIn(page, nexus, DEV_KEYS.admin);
  for (const [path, sign] of [
    ['/?site=nowhere.example', 'No items match these filters'],
    [`/read/${failed}`, 'Processing failed'],
    ['/search?q=lamp', 'The lamp on the desk'],
    ['/search', 'Search your libraries'],
    ['/invitations', 'No invitations'],
    ['/settings', 'ask an admin for a sign-in link'],
    ['/nowhere', 'Page not found'],
  ]) {
    await page.goto(`${nexus.url}/app${path}`);
    await page
      .getByText(sign as string)
      .first()
      .waitFor();
    await inBothLooksOf(page, async (look) => {
      await expectAccessible(page, look);
      await expectToFit(page, look);
    });
  }
});

test(`the settings of a person with a password are accessible, ${LOOKS}`, async () => {
  const { id } = await nexus.person('linked', 'viewer');
  const link = await nexus.call('POST', `/api/v1/users/${id}/sign-in-link`, { key: DEV_KEYS.admin });
  const page = await chromium.open();
  await page.goto(nexus.url + link.body.data.url);
  await page.getByLabel('Your name').fill('Linked');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Password').waitFor({ state: 'detached' });
  await page.goto(`${nexus.url}/app/settings`);
  await page.getByText('Change password').waitFor();
  await inBothLooksOf(page, async (look) => {
    await expectAccessible(page, look);
    await expectToFit(page, look);
  });
});

test(`every dialog is accessible, ${LOOKS}`, () =>
  inBothLooks(chromium, async (page, look) => {
    await openLibrary(page, nexus, DEV_KEYS.admin);
    await page.getByRole('link', { name: 'A page to look at' }).first().waitFor();
    for (const [keys, title] of [
      [['n'], 'Save'],
      [['?'], 'Keyboard shortcuts'],
      [['g', 'l'], 'New library'],
      [['Control+k'], 'Commands'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      await page.getByRole('dialog', { name: title }).waitFor();
      await expectAccessible(page, look);
      await expectToFit(page, look);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: title }).waitFor({ state: 'detached' });
    }
    await page.getByRole('button', { name: 'Actions for A page to look at' }).click();
    await expectAccessible(page, look);
    await page.getByRole('menuitem', { name: 'Why do I see this?' }).click();
    await page.getByText('You saved it').waitFor();
    await expectAccessible(page, look);
  }));

test('right-to-left text is rendered from right to left', async () => {
  const page = await chromium.open();
  await signIn(page, nexus, DEV_KEYS.admin);
  await page.goto(`${nexus.url}/app/read/${arabic}`);
  await page.locator('.prose p').first().waitFor();
  expect(await page.locator('.prose').getAttribute('dir')).toBe('rtl');
  // The last line ends before the left edge.
  const space = await page.evaluate(`(() => {
    const heading = document.querySelector('.reader-title');
    const range = document.createRange();
    range.selectNodeContents(heading);
    return range.getBoundingClientRect().left - heading.getBoundingClientRect().left;
  })()`);
  expect(space).toBeGreaterThan(50);
});

test('a video loads nothing from YouTube before it is started, and seeks to a clicked line', async () => {
  const { body } = await nexus.call('GET', '/api/v1/me', { key: DEV_KEYS.viewer });
  const video = await seedVideo(nexus.database.sql, body.data);
  const page = await chromium.open();
  await signIn(page, nexus, DEV_KEYS.viewer);
  await page.goto(`${nexus.url}/app/read/${video}`);
  await page.getByRole('button', { name: /loads the player from YouTube/ }).waitFor();
  await expectAccessible(page);
  expect(await page.locator('iframe').count()).toBe(0);

  // YouTube cannot be reached in this test, so only the address of the frame is checked.
  chromium.forgive(/youtube-nocookie/);
  await page.getByRole('button', { name: 'Jump to 1:05' }).click();
  const source = await page.locator('iframe').getAttribute('src');
  expect(source).toMatch(/^https:\/\/www\.youtube-nocookie\.com\/embed\/abcdefghijk\?/);
  expect(source).toContain('start=65');
  // The player does not work without a referrer.
  expect(await page.locator('iframe').getAttribute('referrerpolicy')).toBe('strict-origin-when-cross-origin');
});
