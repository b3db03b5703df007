import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { copiedBy } from './clipboard.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, signIn } from './person.ts';

const CODE = `<p>Some code:</p>
<pre><code class="language-js">if (tide &gt; 3) {<br>  <span>ring</span>("the bell"); // twice
}</code></pre>
<p>In a language that nobody knows:</p>
<pre><code class="language-harbour">if (tide) return "a bell";</code></pre>
<p>Too long for colours:</p>
<pre><code class="language-python">${'while True: pass\n'.repeat(3100)}</code></pre>`;
const BLOCKS = 200;
const MANY = Array.from(
  { length: BLOCKS },
  (_, index) => `<p>Block ${index}, with a sentence about the lamps of the reading room before it.</p>
<pre><code class="language-rust">fn lamp_${index}() -&gt; u32 { let burning = ${index}; return burning; }</code></pre>`,
).join('\n');

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  const article = { '/code': CODE, '/many': MANY, '/plain': '' }[request.url ?? ''] ?? '';
  response.end(makePage({ title: 'A page with code', paragraphs: 3, article }));
});
const chromium = useChromium();
const ids: Record<string, string> = {};
beforeAll(async () => {
  for (const path of ['/code', '/many', '/plain']) {
    const body = { url: nexus.site.url + path };
    ids[path] = (
      await nexus.call('POST', '/api/v1/media', { key: DEV_KEYS.researcher, body })
    ).body.data.media_id;
  }
});

async function open(page: Page, path: string): Promise<void> {
  await signIn(page, nexus, DEV_KEYS.researcher);
  await page.goto(`${nexus.url}/app/read/${ids[path]}`);
  await page.locator('.prose p').first().waitFor();
}

/** The texts that have the colour of a kind of token. */
const coloured = (page: Page, kind: string) =>
  page.evaluate<
    string[]
  >(`[...CSS.highlights.get('code-${kind}')].map(({ startContainer, startOffset, endOffset }) =>
    startContainer.data.slice(startOffset, endOffset))`);

const KINDS = 'comment keyword string number title type attribute meta addition deletion'.split(' ');

/** The contrast of the colour of each kind with the background of code. */
const CONTRASTS = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const paint = (...layers) => {
    for (const layer of layers) { canvas.fillStyle = layer; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const code = document.querySelector('.prose pre code');
  const colourOf = (element, pseudo) => getComputedStyle(element, pseudo);
  const paper = light(paint(colourOf(document.querySelector('.reader')).backgroundColor,
    colourOf(code.closest('pre')).backgroundColor));
  return ${JSON.stringify(KINDS)}.map((kind) => {
    const ink = light(paint(colourOf(code, '::highlight(code-' + kind + ')').color));
    return [kind, (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)];
  });
})()`;

test('code has colours by its language, and its text stays as it was', async () => {
  const page = await chromium.open();
  await open(page, '/code');
  await expect.poll(() => coloured(page, 'keyword')).toEqual(['if']);
  expect(await coloured(page, 'string')).toEqual(['"the bell"']);
  expect(await coloured(page, 'comment')).toEqual(['// twice']);
  expect(await coloured(page, 'title')).toEqual(['ring']);

  // Neither the unknown language nor the long block has colours, also on the screen.
  await page.locator('pre').last().scrollIntoViewIfNeeded();
  const { html_sanitized } = (
    await nexus.call('GET', `/api/v1/media/${ids['/code']}/fragments/0`, { key: DEV_KEYS.researcher })
  ).body.data;
  const [shown, stored] = await page.evaluate<string[]>(`(() => {
    const parsed = new DOMParser().parseFromString(${JSON.stringify(html_sanitized)}, 'text/html');
    return [document.querySelector('.prose-part').textContent, parsed.body.textContent];
  })()`);
  expect(shown).toBe(stored);
  expect(await coloured(page, 'keyword')).not.toContain('while');
});

test('the colours of code have enough contrast on every paper', async () => {
  const page = await chromium.open();
  await open(page, '/code');
  await page.locator('.prose pre').first().waitFor();
  for (const tint of ['Auto', 'Paper', 'Sepia', 'Night']) {
    await page.getByRole('button', { name: 'Text and colours' }).click();
    await page.getByRole('button', { name: tint, exact: true }).click();
    await page.keyboard.press('Escape');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const contrasts = await page.evaluate<[string, number][]>(CONTRASTS);
      expect(contrasts).toHaveLength(KINDS.length);
      for (const [kind, contrast] of contrasts)
        expect(contrast, `${kind} on ${tint}, ${colorScheme}`).toBeGreaterThanOrEqual(4.5);
      // The colours are those of the kinds, and not of the text around them.
      expect(new Set(contrasts.map(([, contrast]) => contrast)).size).toBe(KINDS.length);
    }
  }
});

test('code is copied with the keyboard, and the button is not part of a selection', async () => {
  const page = await chromium.open({ permissions: ['clipboard-read', 'clipboard-write'] });
  await open(page, '/code');
  await page.locator('.prose pre').first().focus();
  await page.keyboard.press('Tab');
  const copied = await copiedBy(page, async () => {
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
  });
  expect(copied).toBe('if (tide > 3) {\n  ring("the bell"); // twice\n}');
  const selected = await page.evaluate<string>(`(() => {
    getSelection().selectAllChildren(document.querySelector('.code-box'));
    return getSelection().toString();
  })()`);
  expect(selected.trim()).toBe('if (tide > 3) {\n  ring("the bell"); // twice\n}');
  await expectAccessible(page);
});

test('on a page with hundreds of blocks, only those near the window have colours', async () => {
  const page = await chromium.open();
  await open(page, '/many');
  await expect.poll(() => coloured(page, 'title')).toContain('lamp_0');
  expect((await coloured(page, 'title')).length).toBeLessThan(BLOCKS / 2);
  await page.locator('pre').last().scrollIntoViewIfNeeded();
  await expect.poll(() => coloured(page, 'title')).toContain(`lamp_${BLOCKS - 1}`);
  await expect.poll(() => coloured(page, 'title')).not.toContain('lamp_0');
});

test('a page without code loads no grammars, and colours end with their page', async () => {
  const page = await chromium.open();
  const workers: string[] = [];
  page.on('worker', (worker) => workers.push(worker.url()));
  await open(page, '/plain');
  await page.getByText('Mark as finished').waitFor();
  expect(workers).toEqual([]);
  await page.goto(`${nexus.url}/app/`);
  await page.getByRole('article').getByRole('link', { name: 'A page with code' }).last().click();
  await expect.poll(async () => workers.length).toBe(1);
  await expect.poll(async () => (await coloured(page, 'keyword')).length).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await page.getByRole('heading', { name: 'My library' }).waitFor();
  expect(await coloured(page, 'keyword')).toEqual([]);
});
