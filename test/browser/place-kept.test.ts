import type { BrowserContext, Page } from 'playwright-core';
import { expect, test, vi } from 'vitest';
import { makeEpub } from '../support/fixtures/epub.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { makePng } from '../support/fixtures/png.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { drop, openLibrary, signIn } from './person.ts';
import { seedVideo } from './seed.ts';

const PICTURE = makePng(400, 300);
const PICTURES = Array.from(
  { length: 6 },
  (_, index) => `<p>Picture ${index}: <img src="/${index}.png" alt="">.</p>`,
);
const LINES = Array.from({ length: 600 }, (_, line) => `let lamp_${line} = ${line};`).join('\n');

const nexus = useNexus((request, response) => {
  if (request.url?.endsWith('.png'))
    return void response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  const page = { title: 'The lamp on the desk', paragraphs: 60 };
  if (request.url === '/pictures')
    response.end(
      makePage({ ...page, article: PICTURES.join('') }).replace('<p>1. ', `${PICTURES.join('')}<p>1. `),
    );
  else if (request.url === '/code')
    response.end(makePage({ ...page, paragraphs: 4, article: `<pre>${LINES}</pre>` }));
  else response.end(makePage(page));
});
const chromium = useChromium();
const SOON = { timeout: 20_000 };

interface Person {
  id: string;
  key: string;
}

async function storedPosition({ key }: Person, id: string) {
  const { body } = await nexus.call('GET', `/api/v1/media/${id}`, { key });
  return body.data.reading?.position;
}
const untilStored = (person: Person, id: string, position: object) =>
  vi.waitFor(async () => expect(await storedPosition(person, id)).toMatchObject(position), 20_000);
const store = async ({ key }: Person, id: string, body: { progress: number; position: object }) =>
  expect((await nexus.call('PUT', `/api/v1/media/${id}/reading`, { key, body })).status).toBe(200);

async function save({ key }: Person, path = `/${crypto.randomUUID()}`): Promise<string> {
  const body = { url: nexus.site.url + path };
  const { media_id } = (await nexus.call('POST', '/api/v1/media', { key, body })).body.data;
  await vi.waitFor(async () => {
    const { body: media } = await nexus.call('GET', `/api/v1/media/${media_id}`, { key });
    expect(media.data.processing_status).toBe('ready');
  }, 30_000);
  return media_id;
}

const read = (page: Page, id: string) => page.goto(`${nexus.url}/app/read/${id}`);
async function open(page: Page, { key }: Person, id: string): Promise<void> {
  await signIn(page, nexus, key);
  await read(page, id);
  await page.locator('.prose p').first().waitFor();
}
const blocks = '.prose :is(p, pre, h1)';
const topOf = (page: Page, block: number) =>
  page.evaluate<number>(
    `document.querySelectorAll('${blocks}')[${block}]?.getBoundingClientRect().top ?? 99999`,
  );
const expectAt = (page: Page, block: number) =>
  expect.poll(async () => Math.abs((await topOf(page, block)) - 72), SOON).toBeLessThan(24);
const scrollTo = (block: number) =>
  `window.scrollBy(0, document.querySelectorAll('${blocks}')[${block}].getBoundingClientRect().top - 71)`;
/** Closes a tab as a person does. */
const close = (page: Page) =>
  Promise.all([page.waitForEvent('close'), page.close({ runBeforeUnload: true })]);
/** Ends the process of a tab, which gives the page no time to send anything. */
async function crash(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // The tab ends before it can answer.
  session.send('Page.crash').catch(() => undefined);
  await crashed;
}
const newPage = async (context: BrowserContext) => {
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  return page;
};

test('another text size, width or paper, a side panel and a turned phone keep the text in its place', async () => {
  const ada = await nexus.person('ada');
  const id = await save(ada);
  const page = await chromium.open();
  await open(page, ada, id);
  await page.evaluate(scrollTo(31));
  await untilStored(ada, id, { block: 31 });
  for (const keys of ['+', '+', '-']) {
    await page.keyboard.press(keys);
    await expectAt(page, 31);
  }
  await page.getByRole('button', { name: 'Text and colours' }).click();
  for (const name of ['Wide', 'Loose', 'Night', 'Sans', 'Narrow']) {
    await page.getByRole('button', { name, exact: true }).click();
    await expectAt(page, 31);
  }
  await page.keyboard.press('Escape');
  await page.keyboard.press('a');
  await page.getByRole('complementary').first().waitFor();
  await expectAt(page, 31);
  await page.keyboard.press('a');
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 844, height: 390 },
    { width: 1280, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    await expectAt(page, 31);
  }
  await page.reload();
  await expectAt(page, 31);
  expect(await storedPosition(ada, id)).toMatchObject({ block: 31 });
});

test('pictures that load late, above the place, do not move it', async () => {
  const bea = await nexus.person('bea');
  const id = await save(bea, '/pictures');
  await store(bea, id, { progress: 0.4, position: { block: 20 } });
  const page = await chromium.open();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/images\?url=/, async (route) => {
    await released;
    await route.continue();
  });
  await open(page, bea, id);
  const pictures = page.locator('.prose img');
  await expect.poll(() => pictures.count(), SOON).toBe(12);
  await expectAt(page, 20);
  // The person has taken over, and only then the pictures arrive.
  await page.mouse.wheel(0, 300);
  await expect.poll(() => topOf(page, 20), SOON).toBeLessThan(-100);
  const before = await topOf(page, 22);
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  release();
  await pictures.evaluateAll((images) => images.map((image) => image.setAttribute('loading', 'eager')));
  await expect
    .poll(() => page.evaluate<number>('document.documentElement.scrollHeight'), SOON)
    .toBeGreaterThan(height + 500);
  await expect.poll(async () => Math.abs((await topOf(page, 22)) - before), SOON).toBeLessThan(24);
});

test('a tab that is closed right after scrolling keeps the place', async () => {
  const cleo = await nexus.person('cleo');
  const id = await save(cleo);
  const page = await chromium.open();
  await open(page, cleo, id);
  // In one task: no frame is drawn in between.
  await page.evaluate(`${scrollTo(27)}; location.href = 'about:blank'`);
  await page.waitForURL('about:blank');
  await untilStored(cleo, id, { block: 27 });
  await read(page, id);
  await page.locator('.prose p').first().waitFor();
  await expectAt(page, 27);
  await page.evaluate(scrollTo(44));
  await close(page);
  await untilStored(cleo, id, { block: 44 });
});

test('a place that could not be sent is not shown to, or stored for, who signs in next in the tab', async () => {
  const [gil, hana] = [await nexus.person('gil'), await nexus.person('hana')];
  const id = await save(gil, '/shared-by-chance');
  expect(await save(hana, '/shared-by-chance')).toBe(id);
  const page = await chromium.open();
  chromium.forgive(/Failed to load resource/);
  await page.clock.install();
  await openLibrary(page, nexus, gil.key);
  const title = page.getByRole('article').getByRole('link', { name: 'The lamp on the desk' });
  await title.click();
  await page.locator('.prose p').first().waitFor();
  await page.route('**/reading', (route) => route.abort());
  const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/reading'));
  const unsent = async () =>
    JSON.parse(await page.evaluate<string>("localStorage['nexus.places'] ?? '{}'"))[`${gil.id} ${id}`];
  await page.evaluate(scrollTo(30));
  await expect.poll(unsent, SOON).toMatchObject({ place: { position: { block: 30 } } });
  await page.clock.runFor(5000);
  await refused;
  await page.goBack();
  await page.getByRole('heading', { name: 'My library' }).waitFor();

  await page.getByRole('button', { name: 'gil' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Use an API key instead' }).click();
  await page.unroute('**/reading');
  await page.getByLabel('API key').fill(hana.key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await title.click();
  await page.locator('.prose p').first().waitFor();
  // Later than any retry.
  await page.clock.fastForward(120_000);
  await page.goBack();
  await title.click();
  await page.locator('.prose p').first().waitFor();
  expect(await topOf(page, 1)).toBeGreaterThan(0);
  expect(await storedPosition(hana, id)).not.toMatchObject({ block: 30 });

  // The device keeps it for the first person, although another one has read the same text since.
  await page.evaluate(scrollTo(12));
  await page.clock.runFor(5000);
  await untilStored(hana, id, { block: 12 });
  expect(await unsent()).toMatchObject({ place: { position: { block: 30 } } });
});

test('of two tabs, the one that moved last has the place', async () => {
  const dan = await nexus.person('dan');
  const id = await save(dan);
  const one = await chromium.open();
  await open(one, dan, id);
  const other = await newPage(one.context());
  await read(other, id);
  await other.locator('.prose p').first().waitFor();
  await one.evaluate(scrollTo(12));
  await untilStored(dan, id, { block: 12 });
  await other.evaluate(scrollTo(40));
  await untilStored(dan, id, { block: 40 });
  // The first tab stays where its reader is.
  await one.bringToFront();
  await expectAt(one, 12);
  await one.reload();
  await expectAt(one, 40);
});

test('on a slow server, a media that is reopened at once continues at the newest place', async () => {
  const eve = await nexus.person('eve');
  const id = await save(eve);
  await store(eve, id, { progress: 0.1, position: { block: 6 } });
  const page = await chromium.open();
  await openLibrary(page, nexus, eve.key);
  const title = page.getByRole('article').getByRole('link', { name: 'The lamp on the desk' });
  await title.click();
  await expectAt(page, 6);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/reading', async (route) => {
    await released;
    await route.continue();
  });
  await page.evaluate(scrollTo(33));
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  const answered = page.waitForResponse((response) => response.url().endsWith(`/media/${id}`));
  await title.click();
  expect((await (await answered).json()).data.reading.position).toEqual({ block: 6 });
  await expectAt(page, 33);
  release();
  await untilStored(eve, id, { block: 33 });
  await expectAt(page, 33);
});

test('a place that cannot be sent is sent when the connection is back, also by another tab', async () => {
  chromium.forgive(/ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/);
  const fay = await nexus.person('fay');
  const id = await save(fay);
  const page = await chromium.open();
  await open(page, fay, id);
  const context = page.context();
  await untilStored(fay, id, {});
  await context.setOffline(true);
  const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/reading'));
  await page.evaluate(scrollTo(21));
  await refused;
  await context.setOffline(false);
  await untilStored(fay, id, { block: 21 });

  await context.setOffline(true);
  await page.evaluate(scrollTo(38));
  await close(page);
  await context.setOffline(false);
  const next = await newPage(context);
  await read(next, id);
  await expectAt(next, 38);
  await untilStored(fay, id, { block: 38 });

  // A place that another device has stored since is newer.
  await context.setOffline(true);
  await next.evaluate(scrollTo(50));
  await close(next);
  await store(fay, id, { progress: 0.2, position: { block: 11 } });
  await context.setOffline(false);
  const last = await newPage(context);
  await read(last, id);
  await expectAt(last, 11);
});

test('a text that was extracted anew, and is shorter, opens at the share that was read', async () => {
  const gus = await nexus.person('gus');
  const id = await save(gus);
  await store(gus, id, { progress: 0.5, position: { block: 55 } });
  const html = '<p>A shorter text, with a sentence or two.</p>'.repeat(50);
  await nexus.database.sql`update media_fragments set html_sanitized = ${html} where media_id = ${id}`;
  const page = await chromium.open();
  await open(page, gus, id);
  const share = 'window.scrollY / (document.documentElement.scrollHeight - innerHeight)';
  await expect.poll(() => page.evaluate<number>(share), SOON).toBeGreaterThan(0.35);
  expect(await page.evaluate<number>(share)).toBeLessThan(0.65);
});

test('the place within long code, and within text that has no paragraphs, is kept', async () => {
  const hal = await nexus.person('hal');
  const page = await chromium.open();
  const code = await save(hal, '/code');
  await open(page, hal, code);
  await page.evaluate(
    `window.scrollBy(0, document.querySelector('.prose pre').getBoundingClientRect().top + 5000)`,
  );
  await vi.waitFor(
    async () => expect((await storedPosition(hal, code))?.offset).toBeGreaterThan(0.1),
    20_000,
  );
  const left = await page.evaluate<number>('window.scrollY');
  await page.reload();
  await expect
    .poll(async () => Math.abs((await page.evaluate<number>('window.scrollY')) - left), SOON)
    .toBeLessThan(80);

  const body = `<div>${'<div>It burns until the morning, and nobody reads by it.</div>'.repeat(200)}</div>`;
  const book = makeEpub({
    title: 'Without paragraphs',
    chapters: [{ file: 'a.xhtml', title: 'One', body: `<h1>One</h1>${body}` }],
  });
  const id = await nexus.uploadBook(hal.key, book);
  await read(page, id);
  await page.getByText('1 of 1').waitFor();
  await page.evaluate('window.scrollTo(0, 3000)');
  await vi.waitFor(async () => expect((await storedPosition(hal, id))?.offset).toBeGreaterThan(0.1), 20_000);
  await page.reload();
  await expect
    .poll(async () => Math.abs((await page.evaluate<number>('window.scrollY')) - 3000), SOON)
    .toBeLessThan(80);
});

test('a PDF stays at its page when it is zoomed or the window changes', async () => {
  const ida = await nexus.person('ida');
  const page = await chromium.open();
  await openLibrary(page, nexus, ida.key);
  const pages = Array.from({ length: 12 }, (_, index) => [`This is page ${index + 1} of the paper.`]);
  await drop(page, 'paper.pdf', 'application/pdf', makePdf({ title: 'A paper', pages }));
  await page.getByRole('article').getByRole('link', { name: 'A paper' }).click();
  await page.getByText('Page 1 of 12').waitFor();
  await page.evaluate(
    `window.scrollBy(0, document.querySelector('[data-page="7"]').getBoundingClientRect().top - 112)`,
  );
  await page.getByText('Page 7 of 12').waitFor();
  const top = () =>
    page.evaluate<number>(`document.querySelector('[data-page="7"]').getBoundingClientRect().top`);
  for (const change of [
    () => page.keyboard.press('+'),
    () => page.keyboard.press('-'),
    () => page.setViewportSize({ width: 600, height: 800 }),
  ]) {
    await change();
    await expect.poll(async () => Math.abs((await top()) - 112), SOON).toBeLessThan(24);
  }
});

/** A page that behaves like the player of YouTube: it reports its position once it is asked to, and can be told to seek. */
const PLAYER = `<!doctype html><script>
  let now = Number(new URLSearchParams(location.search).get('start')), isHeard = false;
  const report = () => isHeard && parent.postMessage(
    JSON.stringify({ event: 'infoDelivery', info: { currentTime: now, duration: 195 } }), '*');
  addEventListener('message', ({ data }) => {
    const { event, func, args } = JSON.parse(data);
    if (event === 'listening') isHeard = true;
    if (func === 'seekTo') now = args[0];
    report();
  });
  window.playTo = (seconds) => { now = seconds; report(); };
</script>`;

async function play(page: Page, button: RegExp): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  await page.locator('iframe').waitFor();
}
/** Lets the player play to a second, and waits until the reader knows. */
async function playTo(page: Page, seconds: number): Promise<void> {
  const frame = await (await page.locator('iframe').elementHandle())?.contentFrame();
  await expect.poll(() => frame?.evaluate('isHeard'), SOON).toBe(true);
  await frame?.evaluate(`window.playTo(${seconds})`);
  const progress = page.getByRole('progressbar', { name: 'Reading progress' });
  await expect
    .poll(() => progress.getAttribute('aria-valuenow'), SOON)
    .toBe(String(Math.round((seconds / 195) * 100)));
}

test('a video continues where it was left: same tab, reload, back and forward, a killed tab, another device', async () => {
  chromium.forgive(/youtube-nocookie/);
  const joy = await nexus.person('joy');
  const { body } = await nexus.call('GET', '/api/v1/me', { key: joy.key });
  const id = await seedVideo(nexus.database.sql, body.data);
  const page = await chromium.open();
  const context = page.context();
  await context.route('https://www.youtube-nocookie.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: PLAYER }),
  );
  await openLibrary(page, nexus, joy.key);
  const titleIn = (tab: Page) => tab.getByRole('article').getByRole('link', { name: 'A talk about tides' });
  await titleIn(page).click();
  await play(page, /^Play · /);
  // It plays on, so the movement never stops.
  for (let second = 66; second < 75; second++) await playTo(page, second);
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await untilStored(joy, id, { seconds: 74 });

  await titleIn(page).click();
  await page.getByRole('button', { name: /Continue at 1:14/ }).waitFor();
  await expect
    .poll(() => page.locator('.transcript-line[aria-current="true"]').innerText())
    .toContain('Line 1');
  await page.reload();
  await page.getByRole('button', { name: /Continue at 1:14/ }).waitFor();
  await page.goBack();
  await page.goForward();
  await play(page, /Continue at 1:14/);
  expect(await page.locator('iframe').getAttribute('src')).toContain('start=74');

  const other = await newPage(context);
  await read(other, id);
  await play(other, /Continue at 1:14/);
  await playTo(other, 100);
  await crash(other);
  const after = await newPage(context);
  await read(after, id);
  await after.getByRole('button', { name: /Continue at 1:40/ }).waitFor();
  await untilStored(joy, id, { seconds: 100 });

  await after.getByRole('button', { name: 'Back', exact: true }).click();
  await titleIn(after).waitFor();
  await store(joy, id, { progress: 0.7, position: { seconds: 140 } });
  await titleIn(after).click();
  await after.getByRole('button', { name: /Continue at 2:20/ }).waitFor();

  // A line that a search leads to is a visit.
  await after.goto(`${nexus.url}/app/read/${id}?at=1`);
  await play(after, /Play at 1:05/);
  await playTo(after, 70);
  await after.getByRole('button', { name: 'Back to where you were' }).click();
  const frame = await (await after.locator('iframe').elementHandle())?.contentFrame();
  await expect.poll(() => frame?.evaluate('now')).toBe(140);
  expect(await storedPosition(joy, id)).toEqual({ seconds: 140 });
});
