import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';

export interface Chromium {
  /** Opens a page in a new browser context. */
  open(options?: BrowserContextOptions): Promise<Page>;
  /** Ignores errors that match, for a test that provokes them. */
  forgive(pattern: RegExp): void;
}

/** Connects the file to the Chromium of the run. After each test, an error that its pages reported fails the test. */
export function useChromium(): Chromium {
  let browser: Browser | undefined;
  const complaints: string[] = [];
  let forgiven: RegExp[] = [];

  beforeAll(async () => {
    browser = await chromium.connect(inject('chromium'));
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

/** Errors in the console, exceptions, what the Content-Security-Policy refused, and requests to anywhere else. */
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
