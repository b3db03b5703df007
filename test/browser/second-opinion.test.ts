import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { startModel } from '../support/model-server.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, LEFT_AT_ANALYSIS, signIn } from './person.ts';

const model = await startModel();
const nexus = useNexus(
  (request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(makePage({ title: `The lamp of ${request.url}` }));
  },
  { ...model.env, NEXUS_EGRESS_ALLOW: '127.0.0.1/32', NEXUS_SHADOW_EXECUTION_ENABLED: 'true' },
);
const chromium = useChromium();
const SOON = { timeout: 30_000 };

async function open(page: Page, key: string, path: string) {
  const url = `${nexus.site.url}${path}`;
  const { body } = await nexus.call('POST', '/api/v1/media', { key, body: { url } });
  const { media_id } = body.data;
  await expect
    .poll(
      async () => (await nexus.call('GET', `/api/v1/media/${media_id}`, { key })).body.data.processing_status,
      SOON,
    )
    .toMatch(/^ready/);
  await page.addInitScript(LEFT_AT_ANALYSIS);
  await page.goto(`${nexus.url}/app/read/${media_id}`);
  await page.locator('.prose-part').first().waitFor();
  await page.keyboard.press('a');
  return { panel: page.getByRole('complementary', { name: 'About this document' }), mediaId: media_id };
}

test('an analysis by rules is compared with a model', async () => {
  const { key } = await nexus.person('ada');
  const page = await chromium.open();
  await signIn(page, nexus, key);
  const { panel } = await open(page, key, '/compared');
  await panel.getByRole('checkbox', { name: 'Compare with a model' }).check();
  await expectAccessible(page);
  await panel.getByRole('button', { name: 'Analyse' }).click();

  const compared = panel.getByRole('region', { name: 'Compared with a model' });
  await compared.getByRole('meter', { name: 'Agreement' }).first().waitFor(SOON);
  expect(await compared.locator('summary').count()).toBe(9);
  const signs = compared.locator('details', { hasText: 'Symbols and signs' });
  await signs.locator('summary').click();
  expect(await signs.getByRole('row', { name: 'Analysed by' }).innerText()).toMatch(/Built-in rules\s+Model/);
  expect(await signs.innerText()).toMatch(/finding.* in both/);
  expect(await signs.getByText('Only in this analysis').count()).toBe(1);
  // The results are still those of the rules.
  expect(await panel.locator('.layer-source').getByText('Built-in rules').count()).toBe(9);
  await expectAccessible(page);
});

test('a model that is chosen analyses the text', async () => {
  model.says();
  const { key } = await nexus.person('grace');
  const page = await chromium.open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
  await signIn(page, nexus, key);
  const { panel } = await open(page, key, '/chosen');
  expect(await panel.getByText('is sent to the model').count()).toBe(0);
  await panel.getByRole('combobox', { name: 'Analysed by' }).selectOption('Model only');
  await panel.getByText('is sent to the model small-model').waitFor();
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await expect.poll(() => panel.getByText('A lamp burns.').count(), SOON).toBe(9);
  expect(await panel.getByText('· Model only').count()).toBe(1);
  expect(model.sent).toHaveLength(9);
  expect(await panel.getByRole('region', { name: /^Compared/ }).count()).toBe(0);
  await expectAccessible(page);
});

test('a failed comparison shows its error, and leaves the analysis alone', async () => {
  const { key } = await nexus.person('mary');
  const page = await chromium.open();
  await signIn(page, nexus, key);
  const { panel, mediaId } = await open(page, key, '/failed');
  await panel.getByRole('checkbox', { name: 'Compare with a model' }).check();
  await panel.getByRole('button', { name: 'Analyse' }).click();
  await panel
    .getByRole('region', { name: /^Compared/ })
    .getByRole('meter')
    .first()
    .waitFor(SOON);
  const { sql } = nexus.database;
  // The page may ask for the comparison while it is gone.
  chromium.forgive(/404.*\/shadow/);
  await sql`delete from analysis_runs where document_id = ${mediaId} and shadow_of is not null`;
  await sql`
    update job_attempts
    set status = 'failed', result = null, error_code = 'E_FORBIDDEN', error_text = 'It was not to be.'
    where job_id in (select job_id from analysis_shadows)`;
  await page.reload();
  await page.getByText('The second analysis failed: It was not to be.').waitFor(SOON);
  expect(await panel.locator('summary h3').count()).toBe(9);
});

test('a person who may not analyse sees no options', async () => {
  const viewer = await nexus.person('jane', 'viewer');
  const page = await chromium.open();
  await signIn(page, nexus, viewer.key);
  const { panel } = await open(page, viewer.key, '/viewed');
  await panel.getByText('Your role lets you read analyses but not start them').waitFor();
  expect(await panel.getByRole('combobox').count()).toBe(0);
});
