import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { useChromium } from './chromium.ts';
import { LOOKS, OUT } from './looks.ts';
import { useNexus } from './nexus.ts';
import { signIn } from './person.ts';
import { ESSAYS, essayPage } from './tour-essays.ts';

const nexus = useNexus((request, response) => {
  const essay = ESSAYS.find(({ slug }) => request.url === `/${slug}`) ?? ESSAYS[0];
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(essay ? essayPage(essay) : '');
});
const chromium = useChromium();

/** Essays in a shared library with tags, rules that have matched some of them, and a highlight that is discussed. */
async function prepare() {
  const [mara, ines] = [await nexus.person('mara'), await nexus.person('ines')];
  const call = async ({ key }: { key: string }, method: string, route: string, body?: unknown) =>
    (await nexus.call(method, `/api/v1${route}`, { key, ...(body !== undefined && { body }) })).body?.data;
  await call(mara, 'PATCH', '/me', { display_name: 'Mara Lindqvist' });
  await call(ines, 'PATCH', '/me', { display_name: 'Inês Carvalho' });
  const library = await call(mara, 'POST', '/libraries', { name: 'Reading circle' });
  const invited = await call(mara, 'POST', `/libraries/${library.id}/invites`, { invitee_username: 'ines' });
  await call(ines, 'POST', `/libraries/invites/${invited.id}/accept`);
  const rule = await call(mara, 'POST', '/rules', {
    name: 'Long essays for the circle',
    query: 'length:>1 kind:article',
    actions: { tags: ['essays', 'to discuss'], library_id: library.id, notify: true },
  });
  await call(mara, 'POST', '/rules', {
    name: 'Old news',
    query: 'added:<2024 is:unread',
    actions: { archive: true },
    is_enabled: false,
  });
  const media: string[] = [];
  for (const { slug } of ESSAYS) {
    media.push((await call(mara, 'POST', '/media', { url: `${nexus.site.url}/${slug}` })).media_id);
  }
  await vi.waitFor(async () => {
    const told = await call(mara, 'GET', '/rules/notifications');
    expect(told.length).toBeGreaterThan(2);
    for (const id of media) expect((await call(mara, 'GET', `/media/${id}`)).processing_status).toBe('ready');
  }, 60_000);
  const listed = await call(mara, 'GET', `/libraries/${library.id}/media`);
  for (const [index, { id }] of listed.entries()) {
    const tags = [['spring meeting'], ['spring meeting', 'long'], ['translations/portuguese']][index % 3];
    await call(mara, 'PATCH', `/libraries/${library.id}/media/${id}`, { tags });
  }
  const run = await call(mara, 'POST', `/rules/${rule.id}/run`, { dry_run: false });
  await vi.waitFor(async () => {
    expect((await call(mara, 'GET', `/rules/runs/${run.id}`)).status).toBe('succeeded');
  }, 30_000);
  const first = listed[0].id as string;
  const [{ canonical_text }] = await call(mara, 'GET', `/media/${first}/fragments`);
  const start = canonical_text.indexOf('. ') + 2;
  const target = { fragment_idx: 0, selector: [{ type: 'TextPositionSelector', start, end: start + 120 }] };
  const visibility = { library_ids: [library.id] };
  const highlight = await call(mara, 'POST', `/media/${first}/highlights`, { target, visibility });
  await call(ines, 'POST', `/highlights/${highlight.id}/replies`, { body: 'Read the next one too, @mara.' });
  return { key: mara.key, libraryId: library.id, runId: run.id, mediaId: first, highlightId: highlight.id };
}

test('rules, a run, the tags of a library, and a mention', async () => {
  await mkdir(OUT, { recursive: true });
  const { key, libraryId, runId, mediaId, highlightId } = await prepare();
  for (const { name, ...screen } of LOOKS) {
    const page = await chromium.open({ ...screen, ...('isMobile' in screen && { deviceScaleFactor: 2 }) });
    const keep = (subject: string) =>
      page.screenshot({ path: path.join(OUT, `${subject}-${name}.jpg`), type: 'jpeg', quality: 72 });
    await signIn(page, nexus, key);
    await page.goto(`${nexus.url}/app/rules`);
    await page.getByText('and notify you.').waitFor();
    await keep('rules');
    await page.getByRole('button', { name: /Actions for the rule Long/ }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    await page.getByText(/match now/).waitFor();
    await keep('rule-edit');
    await page.goto(`${nexus.url}/app/rules/runs/${runId}`);
    await page.locator('.run-item').first().waitFor();
    await keep('rule-run');
    await page.goto(`${nexus.url}/app/library/${libraryId}`);
    await page.locator('.tag-chip[data-of="library"]').first().waitFor();
    await keep('library-tags');
    await page.goto(`${nexus.url}/app/read/${mediaId}?at=0&highlight=${highlightId}`);
    await page.getByText('Read the next one too').waitFor();
    await page.getByRole('textbox', { name: /^Reply/ }).pressSequentially('Thank you, @i');
    await page.getByRole('option', { name: /Inês/ }).waitFor();
    await keep('mention');
    await page.goto(`${nexus.url}/app/read/${mediaId}`);
    await page.getByRole('button', { name: 'Why these tags?' }).click();
    await page.getByRole('list', { name: 'Why these tags?' }).waitFor();
    await keep('tag-reasons');
    await page.context().close();
  }
});
