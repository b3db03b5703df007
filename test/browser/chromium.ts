import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject, vi } from 'vitest';

/** Not those that the package proposes: they turn off the very rules that these tests rely on. */
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

export interface Chromium {
  /** A person of their own at a browser of their own. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** What pages must not do, for a test that provokes it: from here on it is forgiven. */
  forgive(pattern: RegExp): void;
}

/** A real Chromium for the file. After each test, whatever its pages complained about fails the test. */
export function useChromium(): Chromium {
  let browser: Browser | undefined;
  const complaints: string[] = [];
  let forgiven: RegExp[] = [];

  // While Nexus starts.
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

/** Errors in the console, exceptions, what the Content-Security-Policy refused, and requests to anywhere else. */
async function watch(page: Page, complain: (text: string) => void): Promise<void> {
  page.on('console', (message) => {
    if (message.type() === 'error') complain(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complain(`exception: ${error.message}`));
  page.on('request', (request) => {
    const { protocol, hostname } = new URL(request.url());
    if (protocol.startsWith('http') && hostname !== '127.0.0.1')
      complain(`foreign request: ${request.url()}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => complain(`policy: ${text}`));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    window.reportViolation(event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
}

/** The package unpacks itself below the directory for temporary files; of files that run at once, one does it. */
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
