import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooksOf } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, openLibrary, signIn } from './person.ts';
import { seedArticles } from './seed.ts';

const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: `Page ${request.url?.slice(1)}` }));
});
const chromium = useChromium();

interface Person {
  id: string;
  key: string;
  /** The ids of the saved pages, by name. */
  media: Record<string, string>;
}

const call = async (key: string, method: string, path: string, body?: unknown) => {
  const answer = await nexus.call(method, `/api/v1${path}`, { key, ...(body !== undefined && { body }) });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body?.data;
};
const mineOf = ({ key, media }: Person, name: string) => call(key, 'GET', `/media/${media[name]}/mine`);
const edit = ({ key, media }: Person, name: string, body: object) =>
  call(key, 'PATCH', `/media/${media[name]}/mine`, body);

/** A person who has saved pages that can be read. */
async function reader(username: string, names: readonly string[]): Promise<Person> {
  const { id, key } = await nexus.person(username);
  const media: Record<string, string> = {};
  for (const name of names) {
    const saved = await call(key, 'POST', '/media', { url: `${nexus.site.url}/${name}` });
    media[name] = saved.media_id;
  }
  await vi.waitFor(async () => {
    for (const mediaId of Object.values(media))
      expect((await call(key, 'GET', `/media/${mediaId}`)).processing_status).toBe('ready');
  }, 30_000);
  return { id, key, media };
}

const rowOf = (page: Page, title: string) => page.locator('.media-row', { hasText: title });
const titles = (page: Page) => page.locator('.virtual-list .media-title-text').allInnerTexts();
const menuOf = async (page: Page, title: string, item: string) => {
  await page.getByRole('button', { name: `Actions for ${title}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
/** The labels of elements, of which only a part is visible text. */
const labelsOf = (page: Page, selector: string) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('${selector}')].map((one) => one.getAttribute('aria-label'))`,
  );
const tagDialog = (page: Page) => page.getByRole('dialog', { name: /^Tags/ });
const toast = (page: Page, text: string | RegExp) => page.locator('.toast', { hasText: text });

describe('tags', () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await reader('ada', ['one', 'two', 'three']);
    await edit(ada, 'three', { tags: ['cooking/bread', 'cooking'] });
  });

  test('are edited with the keyboard alone, with completion and Undo', async () => {
    const page = await chromium.open();
    await openLibrary(page, nexus, ada.key);
    await page.getByRole('link', { name: 'Page one' }).focus();
    await page.keyboard.press('t');
    const field = tagDialog(page).getByRole('combobox', { name: 'Tags' });
    await field.waitFor();
    await page.keyboard.type('coo');
    await page.getByRole('option', { name: 'cooking/bread' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('to discuss');
    await page.getByRole('option', { name: 'Create "to discuss"' }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('wrong,');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('a//b');
    await page.keyboard.press('Enter');
    await tagDialog(page).getByText('Write a name before and after each /.').waitFor();
    for (let letter = 0; letter < 4; letter += 1) await page.keyboard.press('Backspace');
    await page.keyboard.press('Escape');
    await tagDialog(page).waitFor({ state: 'detached' });
    await toast(page, 'Added the tags cooking/bread, to discuss').waitFor();
    expect((await mineOf(ada, 'one')).tags).toEqual(['cooking/bread', 'to discuss']);
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Page one');
    const chips = page.getByRole('list', { name: 'Tags of Page one' }).getByRole('link');
    await expect.poll(() => chips.allInnerTexts()).toEqual(['cooking/bread', 'to discuss']);

    await page.keyboard.press('z');
    await expect.poll(async () => (await mineOf(ada, 'one')).tags).toEqual([]);
    await expect.poll(() => chips.count()).toBe(0);
  });

  test('of many items are added and removed exactly, and Undo restores what each had', async () => {
    await edit(ada, 'one', { tags: ['shared', 'old'] });
    await edit(ada, 'two', { tags: [] });
    const page = await chromium.open();
    await openLibrary(page, nexus, ada.key);
    for (const title of ['Page one', 'Page two'])
      await page.getByRole('checkbox', { name: `Select ${title}` }).check({ force: true });
    await page.getByRole('button', { name: 'Tags', exact: true }).last().click();
    const dialog = page.getByRole('dialog', { name: 'Tags of 2 items' });
    await dialog.getByRole('button', { name: 'Add shared to all items; it is on 1 of 2' }).click();
    await dialog.getByRole('button', { name: 'Remove old' }).click();
    await dialog.getByRole('combobox').fill('new');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await toast(page, 'Changed the tags of 2 items').waitFor();
    for (const name of ['one', 'two']) expect((await mineOf(ada, name)).tags).toEqual(['new', 'shared']);
    await toast(page, 'Changed the tags').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await mineOf(ada, 'one')).tags).toEqual(['old', 'shared']);
    expect((await mineOf(ada, 'two')).tags).toEqual([]);
  });

  test('are in the sidebar as a tree, lead to their list, and filter lists', async () => {
    await edit(ada, 'two', { tags: ['cooking', 'a', 'b', 'c'] });
    const page = await chromium.open();
    await openLibrary(page, nexus, ada.key);
    const list = page.getByRole('list', { name: 'Tags', exact: true });
    await list.getByRole('button', { name: 'Tags below cooking' }).click();
    await list.getByRole('link', { name: 'bread 1 item' }).click();
    await page.getByRole('heading', { name: 'cooking/bread' }).waitFor();
    await expect.poll(() => titles(page)).toEqual(['Page three']);
    await list.getByRole('link', { name: 'cooking 2 items' }).click();
    await expect.poll(async () => (await titles(page)).sort()).toEqual(['Page three', 'Page two']);
    expect(new URL(page.url()).searchParams.get('tag')).toBe('cooking');

    await page.goto(`${nexus.url}/app/`);
    await rowOf(page, 'Page two').getByText('+1 more tags').waitFor();
    await rowOf(page, 'Page two').getByRole('link', { name: 'a', exact: true }).click();
    await expect.poll(() => titles(page)).toEqual(['Page two']);
    await page.getByRole('button', { name: 'Remove filter: a' }).click();
    await expect.poll(async () => (await titles(page)).length).toBe(3);
  });

  test('are renamed, merged and deleted', async () => {
    await edit(ada, 'one', { tags: ['food', 'food/fish'] });
    const page = await chromium.open();
    await signIn(page, nexus, ada.key);
    await page.goto(`${nexus.url}/app/tags`);
    const names = () => labelsOf(page, '.tag-row-name');
    await page.getByRole('button', { name: 'Rename food', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename tag' });
    await dialog.getByLabel('Name').fill('Cooking');
    await dialog.getByText('The two will be merged').waitFor();
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await toast(page, 'Merged food with cooking').waitFor();
    await expect.poll(names).toEqual(expect.arrayContaining(['cooking', 'cooking/bread', 'cooking/fish']));
    expect(await names()).not.toContain('food');
    expect((await mineOf(ada, 'one')).tags).toEqual(['cooking', 'cooking/fish']);

    await page.getByRole('button', { name: 'Delete cooking', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Delete the tag cooking?' });
    await question.getByText('removed from 3 items').waitFor();
    await question.getByRole('button', { name: 'Delete' }).click();
    await toast(page, 'Deleted the tag cooking').waitFor();
    expect((await mineOf(ada, 'one')).tags).toEqual(['cooking/fish']);
  });

  test('are given while saving, and saving an archived page again unarchives it', async () => {
    await edit(ada, 'two', { tags: [], is_archived: true });
    const page = await chromium.open();
    await openLibrary(page, nexus, ada.key);
    await expect.poll(() => titles(page)).not.toContain('Page two');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Save' });
    await dialog.getByLabel('Links').fill(`${nexus.site.url}/two`);
    await dialog.getByRole('combobox', { name: 'Tags' }).fill('while saving');
    // The text that is still in the field counts, too.
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await rowOf(page, 'Page two').getByRole('link', { name: 'while saving' }).waitFor();
    expect(await mineOf(ada, 'two')).toMatchObject({ tags: ['while saving'], is_archived: false });
  });
});

test('everything in a list is tagged and archived after a question, and Undo takes it back', async () => {
  const { id, key } = await nexus.person('eve');
  const { default_library_id } = await call(key, 'GET', '/me');
  await seedArticles(nexus.database.sql, { id, default_library_id }, 230);
  const tagged = async () =>
    (await call(key, 'GET', '/tags')).map((tag: { media_count: number }) => tag.media_count);
  const page = await chromium.open();
  await openLibrary(page, nexus, key);
  await page.getByRole('checkbox').first().check({ force: true });
  await page.getByRole('button', { name: 'Select all 230' }).click();
  await page.keyboard.press('t');
  const dialog = page.getByRole('dialog', { name: 'Tags of 230 items' });
  await dialog.getByRole('combobox').fill('many');
  await dialog.getByRole('button', { name: 'Change 230 items' }).click();
  await toast(page, 'Changed the tags of 230 items').waitFor();
  expect(await tagged()).toEqual([230]);
  await toast(page, 'Changed the tags').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(tagged).toEqual([0]);

  await page.keyboard.press('y');
  await page
    .getByRole('dialog', { name: 'Archive 230 items?' })
    .getByRole('button', { name: 'Archive' })
    .click();
  await toast(page, 'Archived 230 items').waitFor();
  await page.getByRole('heading', { name: 'Nothing to read yet' }).waitFor();
  await page.keyboard.press('z');
  await page.getByText('230 items', { exact: true }).waitFor();
});

describe('favourites and the archive', () => {
  let ben: Person;
  beforeAll(async () => {
    ben = await reader('ben', ['four', 'five', 'six']);
  });

  test('have keys, icons, pages and Undo, and search finds what is archived', async () => {
    const page = await chromium.open();
    await openLibrary(page, nexus, ben.key);
    await page.getByRole('link', { name: 'Page four' }).focus();
    await page.keyboard.press('f');
    await rowOf(page, 'Page four').getByRole('img', { name: 'Favourite' }).waitFor();
    await page.keyboard.press('y');
    await toast(page, 'Archived').waitFor();
    await expect.poll(async () => (await titles(page)).sort()).toEqual(['Page five', 'Page six']);

    await page.getByRole('link', { name: 'Archive' }).click();
    await expect.poll(() => titles(page)).toEqual(['Page four']);
    await page.getByRole('link', { name: 'Favourites' }).click();
    await rowOf(page, 'Page four').getByRole('img', { name: 'Archived' }).waitFor();
    await page.goto(`${nexus.url}/app/search?q=Page%20four`);
    await page.locator('.hit').getByRole('link', { name: 'Page four' }).waitFor();

    await page.goto(`${nexus.url}/app/archive`);
    await menuOf(page, 'Page four', 'Unarchive');
    await page.getByRole('heading', { name: 'The archive is empty' }).waitFor();
    await page.keyboard.press('z');
    await expect.poll(() => titles(page)).toEqual(['Page four']);
    expect((await mineOf(ben, 'four')).is_archived).toBe(true);
    await edit(ben, 'four', { is_archived: false, is_favourite: false });
  });

  test('of a selection are one action', async () => {
    await edit(ben, 'five', { is_favourite: true });
    const page = await chromium.open();
    await openLibrary(page, nexus, ben.key);
    for (const title of ['Page five', 'Page six'])
      await page.getByRole('checkbox', { name: `Select ${title}` }).check({ force: true });
    const bar = page.getByRole('toolbar', { name: 'Selected items' });
    await bar.getByRole('button', { name: 'Add to favourites' }).click();
    // One of them was a favourite before, and stays one after Undo.
    await toast(page, 'Added 1 item to favourites').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await mineOf(ben, 'six')).is_favourite).toBe(false);
    expect((await mineOf(ben, 'five')).is_favourite).toBe(true);
    for (const title of ['Page five', 'Page six'])
      await page.getByRole('checkbox', { name: `Select ${title}` }).check({ force: true });
    await page.keyboard.press('y');
    await toast(page, 'Archived 2 items').waitFor();
    await expect.poll(() => titles(page)).toEqual(['Page four']);
    await toast(page, 'Archived 2 items').getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await titles(page)).length).toBe(3);
  });

  test('a read article can be archived at its end', async () => {
    const page = await chromium.open();
    await signIn(page, nexus, ben.key);
    await page.goto(`${nexus.url}/app/read/${ben.media.six}`);
    await page.locator('.reader-end').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Unarchive' }).waitFor();
    expect((await mineOf(ben, 'six')).is_archived).toBe(true);
    await page.keyboard.press('y');
    await expect.poll(async () => (await mineOf(ben, 'six')).is_archived).toBe(false);
    await page.keyboard.press('t');
    await tagDialog(page).getByRole('combobox').fill('read');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Tags of Page six' }).getByRole('link', { name: 'read' }).waitFor();
  });
});

describe('the own title and the note', () => {
  let cem: Person;
  beforeAll(async () => {
    cem = await reader('cem', ['seven']);
  });

  test('an own title is shown everywhere instead of the original, which can be used again', async () => {
    const page = await chromium.open();
    await openLibrary(page, nexus, cem.key);
    await menuOf(page, 'Page seven', 'Edit title');
    const dialog = page.getByRole('dialog', { name: 'Edit title' });
    await dialog.getByText('Only you see it.').waitFor();
    await dialog.getByLabel('Title').fill('My <b>seven</b>');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'My <b>seven</b>' }).click();
    await page.getByRole('heading', { level: 1, name: 'My <b>seven</b>' }).waitFor();
    expect(await page.title()).toContain('My <b>seven</b>');
    expect((await call(cem.key, 'GET', `/media/${cem.media.seven}`)).title).toBe('Page seven');
    await menuOf(page, 'My <b>seven</b>', 'Edit title');
    await dialog.getByRole('button', { name: 'Use the original title' }).click();
    await page.getByRole('heading', { level: 1, name: 'Page seven' }).waitFor();
  });

  test('a note is Markdown without HTML, dangerous links and foreign images', async () => {
    const page = await chromium.open();
    await signIn(page, nexus, cem.key);
    await page.goto(`${nexus.url}/app/read/${cem.media.seven}`);
    await menuOf(page, 'Page seven', 'Add note');
    const dialog = page.getByRole('dialog', { name: 'Note' });
    await dialog
      .getByLabel('Your note')
      .fill(
        [
          '# Why *this*',
          '- [good](https://example.com/a?b=1&c=2) and [bad](javascript:alert(1))',
          '- <img src=x onerror=alert(2)><script>alert(3)</script>',
          '- ![a picture](https://tracker.example/p.png)',
        ].join('\n'),
      );
    await page.keyboard.press('Control+Enter');
    await dialog.getByText('Saved').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const note = page.getByRole('region', { name: 'Your note' });
    await note.getByRole('heading', { name: 'Why this' }).waitFor();
    const links = await page.evaluate(
      `[...document.querySelectorAll('.reader-note a')].map((one) =>
        ['href', 'target', 'rel'].map((name) => one.getAttribute(name)))`,
    );
    expect(links).toEqual([
      ['https://example.com/a?b=1&c=2', '_blank', 'noopener noreferrer'],
      ['https://tracker.example/p.png', '_blank', 'noopener noreferrer'],
    ]);
    expect(await note.locator('img, script').count()).toBe(0);
    await note.getByText('<script>alert(3)</script>').waitFor();
  });

  test('a note that was changed on another device is not overwritten unseen', async () => {
    await edit(cem, 'seven', { note: 'First' });
    chromium.forgive(/412/);
    const page = await chromium.open();
    await signIn(page, nexus, cem.key);
    await page.goto(`${nexus.url}/app/read/${cem.media.seven}`);
    const note = page.getByRole('region', { name: 'Your note' });
    const field = note.getByLabel('Your note');
    const begin = async (text: string) => {
      const loaded = page.waitForResponse((answer) => answer.url().endsWith('/mine'));
      await note.getByRole('button', { name: 'Edit note' }).click();
      await loaded;
      await field.fill(text);
    };
    // A change of another field is not a conflict.
    await begin('Second');
    await edit(cem, 'seven', { is_favourite: true });
    await field.blur();
    await note.getByText('Saved').waitFor();
    expect(await mineOf(cem, 'seven')).toMatchObject({ note: 'Second', is_favourite: true });

    await begin('Mine');
    await edit(cem, 'seven', { note: 'Of the phone' });
    await field.blur();
    await note.getByRole('alert').getByText('Of the phone').waitFor();
    expect((await mineOf(cem, 'seven')).note).toBe('Of the phone');
    expect(await field.inputValue()).toBe('Mine');
    await note.getByRole('button', { name: 'Save mine' }).click();
    await note.getByText('Saved').waitFor();
    expect((await mineOf(cem, 'seven')).note).toBe('Mine');
  });
});

test('lists, the editor, the tags page and the reader are accessible and fit, light and dark', async () => {
  const dora = await reader('dora', ['eight', 'nine']);
  await edit(dora, 'eight', {
    tags: ['oceans/tides', 'a tag with a rather long name that goes on and on', 'to discuss', 'x', 'y'],
    is_favourite: true,
    note: 'A **note** with a [link](https://example.com).',
  });
  await edit(dora, 'nine', { tags: ['oceans'] });
  const page = await chromium.open();
  await openLibrary(page, nexus, dora.key);
  const check = () =>
    inBothLooksOf(page, async (look) => {
      await expectAccessible(page, look);
      await expectToFit(page, look);
    });
  await page.getByRole('list', { name: 'Tags of Page eight' }).waitFor();
  await check();
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Show as a grid' }).click();
  await page.locator('.media-card .tag-chips').first().waitFor();
  await check();
  await page.getByRole('link', { name: 'Page eight' }).focus();
  await page.keyboard.press('t');
  await tagDialog(page).getByRole('combobox').fill('o');
  await page.getByRole('option', { name: 'oceans', exact: true }).waitFor();
  await check();
  await page.goto(`${nexus.url}/app/tags`);
  await page.getByRole('list', { name: 'Your tags' }).waitFor();
  await check();
  await page.goto(`${nexus.url}/app/read/${dora.media.eight}`);
  await page.getByRole('region', { name: 'Your note' }).getByRole('link', { name: 'link' }).waitFor();
  await check();
});

test('a search by tag is explained, saved, and counted in the sidebar', async () => {
  const ida = await reader('ida', ['ten', 'eleven']);
  await edit(ida, 'ten', { tags: ['oceans'] });
  const page = await chromium.open();
  await signIn(page, nexus, ida.key);
  await page.goto(`${nexus.url}/app/search`);
  await page.getByText('Search by tag, date, site and more').click();
  await page.getByRole('button', { name: 'tag:', exact: true }).click();
  const field = page.getByRole('searchbox', { name: 'Search' });
  chromium.forgive(/400/);
  await page.locator('.search-mistake', { hasText: 'tag:' }).waitFor();
  await field.press('End');
  await field.pressSequentially('oceans page');
  await expect.poll(() => page.locator('.hit .media-title').allInnerTexts()).toEqual(['Page ten']);
  await inBothLooksOf(page, async (look) => {
    await expectAccessible(page, look);
    await expectToFit(page, look);
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('button', { name: 'Save search' }).click();
  await page.getByLabel('Name').fill('About oceans');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
  const saved = page.getByRole('link', { name: /About oceans/ });
  await expect.poll(() => saved.innerText()).toMatch(/About oceans\s*1/);

  // It is a list like that of a library, with filters and keyboard, in the palette and in the export.
  await page.goto(`${nexus.url}/app/`);
  await saved.waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: 'Find a command, a library or an item' }).fill('about oce');
  await page.getByRole('option', { name: 'About oceans Saved search' }).click();
  await page.getByRole('heading', { name: 'About oceans' }).waitFor();
  await expect.poll(() => titles(page)).toEqual(['Page ten']);
  await page.getByRole('button', { name: 'Actions for the saved search About oceans' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit saved search' });
  await dialog.getByLabel('Search').fill('tag:oceans or eleven (');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.locator('.field-error').waitFor();
  await dialog.getByLabel('Search').fill('tag:oceans or eleven');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect.poll(async () => (await titles(page)).sort()).toEqual(['Page eleven', 'Page ten']);
  await inBothLooksOf(page, async (look) => {
    await expectAccessible(page, look);
    await expectToFit(page, look);
  });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Page ten' }).focus();
  await page.keyboard.press('e');
  await toast(page, /finished/i).waitFor();
  await page.getByRole('button', { name: 'Finished', exact: true }).click();
  await expect.poll(() => titles(page)).toEqual(['Page ten']);

  await page.goto(`${nexus.url}/app/settings`);
  await page.getByLabel('Library to export').selectOption('Saved search: About oceans');
  const exported = await page.getByRole('link', { name: 'Everything (JSON)' }).getAttribute('href');
  expect(new URL(exported ?? '', nexus.url).searchParams.get('q')).toBe('tag:oceans or eleven');

  await saved.click();
  await page.getByRole('button', { name: 'Actions for the saved search About oceans' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => saved.count()).toBe(0);
});
