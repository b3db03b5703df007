import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterEach, beforeAll, expect, inject } from 'vitest';
import { withTemporaryFilesIn } from './temporary-files.ts';

/** Not the arguments that the package proposes: they turn off the rules that these tests rely on. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  // One process less for each Chromium; the tests take 8 % less CPU time.
  '--in-process-gpu',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  // A page keeps its first renderer, and shares it with the pages of its context. Contexts share none.
  '--renderer-process-limit=1',
];

/**
 * The Chromium of this process, which ends with it. Files have contexts of their own, which share nothing. One
 * Chromium for the whole run would be driven through a socket, which costs Node a sixth more CPU time.
 */
let started: Promise<Browser> | undefined;

function start(): Promise<Browser> {
  const { executablePath, directory } = inject('chromium');
  return withTemporaryFilesIn(directory, () =>
    chromium.launch({ executablePath, headless: true, args: ARGUMENTS }),
  );
}

export interface Chromium {
  /** Opens a page in a new browser context. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Ignores errors that match, for a test that provokes them. */
  forgive(pattern: RegExp): void;
}

/** Gives the file the Chromium of its process. After each test, an error that its pages reported fails the test. */
export function useChromium(): Chromium {
  let browser: Browser | undefined;
  const complaints: string[] = [];
  let forgiven: RegExp[] = [];

  beforeAll(async () => {
    started ??= start();
    browser = await started;
  });
  afterEach(async () => {
    await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
    const left = complaints.splice(0).filter((text) => !forgiven.some((pattern) => pattern.test(text)));
    forgiven = [];
    expect(left).toEqual([]);
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

/** Reports errors in the console, exceptions, violations of the Content-Security-Policy, and requests to other hosts. */
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
