import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { useChromium } from './chromium.ts';
import { LOOKS, OUT } from './looks.ts';
import { useNexus } from './nexus.ts';
import { signIn } from './person.ts';
import { ESSAYS, essayPage } from './tour-essays.ts';

const [essay] = ESSAYS;
const nexus = useNexus((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(essay ? essayPage(essay) : '');
});
const chromium = useChromium();

/** An article that two people have marked: their passages, by the number of a paragraph and of its words. */
async function prepare() {
  const [mara, ines] = [await nexus.person('mara'), await nexus.person('ines')];
  const call = async ({ key }: { key: string }, method: string, route: string, body?: unknown) =>
    (await nexus.call(method, `/api/v1${route}`, { key, ...(body !== undefined && { body }) })).body.data;
  await call(mara, 'PATCH', '/me', { display_name: 'Mara Lindqvist' });
  await call(ines, 'PATCH', '/me', { display_name: 'Inês Carvalho' });
  const { media_id } = await call(mara, 'POST', '/media', { url: `${nexus.site.url}/${essay?.slug}` });
  await vi.waitFor(async () => {
    expect((await call(mara, 'GET', `/media/${media_id}`)).capabilities.can_read).toBe(true);
  }, 30_000);
  const library = await call(mara, 'POST', '/libraries', { name: 'Reading circle' });
  await call(mara, 'POST', `/libraries/${library.id}/media`, { media_id });
  const invited = await call(mara, 'POST', `/libraries/${library.id}/invites`, { invitee_username: 'ines' });
  await call(ines, 'POST', `/libraries/invites/${invited.id}/accept`);

  const [{ canonical_text }] = await call(mara, 'GET', `/media/${media_id}/fragments`);
  const paragraphs = (canonical_text as string).split('\n').filter((line) => line.length > 80);
  const mark = (person: { key: string }, paragraph: number, words: [number, number], fields: object) => {
    const line = paragraphs[paragraph] ?? '';
    const exact = line
      .split(' ')
      .slice(...words)
      .join(' ');
    const start = canonical_text.indexOf(line) + line.indexOf(exact);
    const selector = [{ type: 'TextPositionSelector', start, end: start + exact.length }];
    const target = { fragment_idx: 0, selector };
    return call(person, 'POST', `/media/${media_id}/highlights`, { target, ...fields });
  };
  const visibility = { library_ids: [library.id] };
  await mark(mara, 0, [2, 12], {
    color: 'yellow',
    visibility,
    note: 'This is the whole argument in **one line**.',
  });
  const shared = await mark(ines, 1, [0, 14], {
    color: 'blue',
    visibility,
    note: 'Compare with the second essay:\n\n- the same image\n- another conclusion',
  });
  await call(mara, 'POST', `/highlights/${shared.id}/replies`, {
    body: 'Yes — and it was written ten years earlier, @ines.',
  });
  await call(ines, 'POST', `/highlights/${shared.id}/replies`, { body: 'I did not know that.' });
  await mark(mara, 2, [3, 11], { color: 'green' });
  await mark(mara, 3, [0, 8], { color: 'pink', note: 'Look this up.' });
  return { key: mara.key, mediaId: media_id as string, highlightId: shared.id as string };
}

test('the reader with its margin, and all highlights', async () => {
  await mkdir(OUT, { recursive: true });
  const { key, mediaId, highlightId } = await prepare();
  for (const { name, ...screen } of LOOKS) {
    const page = await chromium.open({ ...screen, ...('isMobile' in screen && { deviceScaleFactor: 2 }) });
    const keep = (subject: string) =>
      page.screenshot({ path: path.join(OUT, `${subject}-${name}.jpg`), type: 'jpeg', quality: 72 });
    await signIn(page, nexus, key);
    await page.goto(`${nexus.url}/app/read/${mediaId}?at=0&highlight=${highlightId}`);
    await page.getByText('I did not know that.').waitFor();
    await page.evaluate('document.fonts.ready.then(() => undefined)');
    await keep('highlights-reader');
    await page.goto(`${nexus.url}/app/highlights`);
    await page.locator('.highlight-card').nth(3).waitFor();
    await keep('highlights');
    await page.goto(`${nexus.url}/app/read/${mediaId}`);
    await page.locator('.prose p').nth(4).waitFor();
    await page.evaluate(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelectorAll('.prose p')[4]);
      getSelection().addRange(range);
    })()`);
    await page.getByRole('toolbar', { name: 'Selected text' }).waitFor();
    await keep('highlights-selection');
    await page.context().close();
  }
});
