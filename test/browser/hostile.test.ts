import { expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { ATTACKS } from '../support/fixtures/attacks.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { openLibrary, signIn } from './person.ts';

const PARTS = 8;

/** The attacks are split into several pages, because one that leaves an element open would hide the following ones. */
const nexus = useNexus((request, response) => {
  const part = Number(/^\/part\/(\d)$/.exec(request.url ?? '')?.[1]);
  const article = ATTACKS.filter((_, index) => index % PARTS === part)
    .map((attack, index) => `<p>Before ${index}.</p><div>${attack}</div><p>After ${index}.</p>`)
    .join('\n');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Hostile ${part}`, article }));
});
const chromium = useChromium();

/** Scripts that run, loaded resources and policy violations fail the test. */
test('nothing hostile runs in the reader', async () => {
  const page = await chromium.open();
  // Broken images are requested from Nexus, which does not have them.
  chromium.forgive(/(400|404|422|5\d\d).*\/media\/images/);
  page.on('dialog', (dialog) => {
    throw new Error(`A script ran: ${dialog.message()}`);
  });
  await signIn(page, nexus, DEV_KEYS.researcher);
  // In parallel, so that the first can be read while the others are processed.
  const saved = await Promise.all(
    Array.from({ length: PARTS }, (_, part) =>
      nexus.call('POST', '/api/v1/media', {
        key: DEV_KEYS.researcher,
        body: { url: `${nexus.site.url}/part/${part}` },
      }),
    ),
  );
  for (const { body } of saved) {
    await page.goto(`${nexus.url}/app/read/${body.data.media_id}`);
    await page.locator('.prose-part').first().waitFor();
    // Event handlers would run on one of these.
    await page.locator('.prose').hover();
    await page.mouse.wheel(0, 4000);
    const left = await page.evaluate(`[...document.querySelectorAll('.prose *')].filter((element) =>
      /^(script|iframe|object|embed|svg|form|style|link|meta|base|video|audio)$/i.test(element.tagName) ||
      (element.closest('math') && element.namespaceURI !== 'http://www.w3.org/1998/Math/MathML') ||
      [...element.attributes].some(({ name, value }) => /^on|^style$|^srcdoc$/i.test(name) || /^\\s*(javascript|vbscript|data):/i.test(value))
    ).map((element) => element.outerHTML)`);
    expect(left).toEqual([]);
  }
});

test('markup in a title is shown as text', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.viewer);
  const title = '<img src=x onerror=alert(1)> & "quotes"';
  await page.getByRole('button', { name: 'New library' }).first().click();
  await page.getByLabel('Name').fill(title);
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: title }).waitFor();
});
