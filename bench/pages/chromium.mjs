// Chromium, and what is measured in it.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'];

/** Runs in the page: notes when the first element of a kind is in the window, has text, and has been painted. */
const WATCH = (sign) => `{
  const look = () => {
    const element = document.querySelector(${JSON.stringify(sign)});
    const box = element?.getBoundingClientRect();
    const isShown = box && box.height > 0 && box.top < innerHeight && element.textContent.trim() !== '';
    if (!isShown) return void requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => window.noteReadable(performance.now())));
  };
  look();
}`;

const REQUESTS = (
  until,
) => `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .filter(({ startTime }) => startTime < ${until})
  .map(({ name, startTime, responseEnd, transferSize }) =>
    Math.round(startTime) + '–' + Math.round(responseEnd) + ' ms ' + transferSize + ' B ' + new URL(name).pathname)`;

/** Starts Chromium, in a directory of its own. */
export async function openChromium(origin, key) {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'nexus-bench-chromium-'));
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  const executablePath = await sparticuz.executablePath();
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
  const browser = await chromium.launch({ executablePath, headless: true, args: ARGUMENTS });

  /** Runs `work` with a page in a new context: nothing is cached, and the person is signed in. */
  async function withPage(work) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    try {
      await context.request.post(`${origin}/app/session`, { data: { api_key: key } });
      return await work(await context.newPage());
    } finally {
      await context.close();
    }
  }

  /** The memory of all renderers: the proportional set size, which counts shared pages once. */
  async function rendererMemory() {
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    const renderers = processInfo.filter(({ type }) => type === 'renderer');
    const sizes = await Promise.all(
      renderers.map(async ({ id }) => {
        const rollup = await readFile(`/proc/${id}/smaps_rollup`, 'utf8').catch(() => '');
        return Number(/^Pss: +(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024;
      }),
    );
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  return {
    version: `Chromium ${browser.version()}`,

    /** Opens a page over a slow network, and returns the time until its content can be read. */
    timeUntilReadable: ({ path: address, sign }, { latency_ms, megabits_per_second }) =>
      withPage(async (page) => {
        const readable = new Promise((resolve) => page.exposeFunction('noteReadable', resolve));
        await page.addInitScript(WATCH(sign));
        const session = await page.context().newCDPSession(page);
        const throughput = (megabits_per_second * 1e6) / 8;
        await session.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: latency_ms,
          downloadThroughput: throughput,
          uploadThroughput: throughput,
        });
        await page.goto(origin + address, { waitUntil: 'commit' });
        const ms = Math.round(await readable);
        return { ms, requests: await page.evaluate(REQUESTS(ms)) };
      }),

    /** Opens a book, turns chapters, and returns the memory of the renderer, without that of an empty page. */
    memoryOfReading: (address, { chapters }) =>
      withPage(async (page) => {
        await page.goto('about:blank');
        const empty = await rendererMemory();
        await page.goto(origin + address);
        await page.locator('.prose p').first().waitFor();
        const opened = await rendererMemory();
        for (let turned = 0; turned < chapters; turned++) {
          await page.keyboard.press('ArrowRight');
          await page.locator(`.prose-part[data-fragment="${turned + 1}"]`).waitFor();
        }
        const read = await rendererMemory();
        return {
          measure: 'proportional set size of the renderer, without that of about:blank',
          empty_page_mb: Math.round(empty),
          opened_mb: Math.round(opened - empty),
          chapters_turned: chapters,
          read_mb: Math.round(read - empty),
        };
      }),

    async close() {
      await browser.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
