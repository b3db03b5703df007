import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, vi } from 'vitest';

/** The arguments that the package proposes would turn off security rules that these tests rely on. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

export interface Chromium {
  /** Opens a page in a new browser context. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Ignores errors that match, for a test that provokes them. */
  forgive(pattern: RegExp): void;
}

/** Starts Chromium for the file. Errors on its pages fail the test. */
export function useChromium(): Chromium {
  let browser: Browser | undefined;
  const complaints: string[] = [];
  let forgiven: RegExp[] = [];

  // Starts in parallel with Nexus.
  const starting = start();
  starting.catch(() => {});
  beforeAll(async () => {
    browser = await starting;
  });
  afterEach(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    const left = complaints.splice(0).filter((text) => !forgiven.some((pattern) => pattern.test(text)));
    forgiven = [];
    expect(left).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
  });

  return {
    async open(options = {}) {
      if (!browser) throw new Error('The browser starts before the first test.');
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        reducedMotion: 'reduce',
        ...options,
      });
      const page = await context.newPage();
      page.setDefaultTimeout(20_000);
      await watch(page, (text) => complaints.push(text));
      return page;
    },
    forgive: (pattern) => void forgiven.push(pattern),
  };
}

async function start(): Promise<Browser> {
  return chromium.launch({ executablePath: await unpacked(), headless: true, args: ARGUMENTS });
}

/** Reports console errors, exceptions, violations of the Content-Security-Policy, and requests to other hosts. */
async function watch(page: Page, complain: (text: string) => void): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error') complain(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complain(`exception: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1')
      complain(`request to another host: ${request.url()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => complain(`policy: ${text}`));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    window.reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
}

/** Unpacks the browser into the temporary directory. The first test file does it, parallel ones wait. */
async function unpacked(): Promise<string> {
  const directory = path.join(inject('runDir'), 'chromium');
  const ready = path.join(directory, 'ready');
  const isFirst = await mkdir(directory).then(
    () => true,
    () => false,
  );
  process.env.TMPDIR = directory;
  if (isFirst) {
    await sparticuz.executablePath();
    await writeFile(ready, '');
  }
  await vi.waitUntil(() => exists(ready), { timeout: 60_000, interval: 50 });
  return sparticuz.executablePath();
}

async function exists(file: string): Promise<boolean> {
  const { access } = await import('node:fs/promises');
  return access(file).then(
    () => true,
    () => false,
  );
}
