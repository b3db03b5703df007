import { beforeAll, expect, test } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { inBothLooksOf } from './looks.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, expectToFit, openLibrary } from './person.ts';

const TITLES: Record<string, string> = { '/by-olga': 'Found by Olga', '/by-felix': 'Found by Felix' };
const nexus = useNexus((request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: TITLES[request.url ?? ''] ?? 'What we read together' }));
});
const chromium = useChromium();
let owner: { key: string };
let friend: { id: string; key: string };

beforeAll(async () => {
  owner = await nexus.person('olga');
  friend = await nexus.person('felix');
});

test('a shared article disappears from the open page of a member who is removed', async () => {
  const [mine, theirs] = [await chromium.open(), await chromium.open()];
  await openLibrary(mine, nexus, owner.key);
  await openLibrary(theirs, nexus, friend.key);

  await mine.getByRole('button', { name: 'New library' }).first().click();
  await mine.getByLabel('Name').fill('Circle');
  await mine.getByRole('button', { name: 'Create' }).click();
  await mine.getByRole('heading', { name: 'Circle' }).waitFor();
  await mine.keyboard.press('n');
  await mine.getByLabel('Links').fill(`${nexus.site.url}/together`);
  await mine.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await mine.getByRole('link', { name: 'What we read together' }).waitFor();

  await mine.getByRole('button', { name: 'Share' }).click();
  await mine.getByRole('combobox', { name: 'Invite by username' }).fill('fel');
  await mine.getByRole('option', { name: /felix/ }).click();
  await expectAccessible(mine);
  await mine.getByRole('button', { name: 'Invite', exact: true }).click();
  await mine.getByRole('heading', { name: 'Pending invitations' }).waitFor();

  await theirs
    .getByRole('link', { name: /Invitations/ })
    .first()
    .click();
  await theirs.getByRole('heading', { name: 'Circle' }).waitFor();
  await expectAccessible(theirs);
  await theirs.getByRole('button', { name: 'Accept' }).click();
  await theirs.getByRole('link', { name: 'What we read together' }).click();
  await theirs.getByText('nobody had touched the ink').first().waitFor();
  await theirs.getByRole('button', { name: 'Actions for What we read together' }).click();
  await theirs.getByRole('menuitem', { name: 'Why do I see this?' }).click();
  await theirs.getByText('and you are a member').waitFor();
  await theirs.getByRole('button', { name: 'Close' }).click();

  // The article is open while access to it ends.
  await mine.getByRole('button', { name: 'Actions for felix' }).click();
  await mine.getByRole('menuitem', { name: 'Remove' }).click();
  await mine.getByText('They lose access to').waitFor();
  chromium.forgive(/404/);
  await mine.getByRole('button', { name: 'Remove', exact: true }).click();
  await theirs.getByText('nobody had touched the ink').first().waitFor({ state: 'detached' });
  await theirs.getByText('Not found').waitFor();
  await theirs.getByRole('link', { name: 'Go to my library' }).click();
  await theirs.getByText('Nothing to read yet').waitFor();
});

test('the open list of a library disappears when its reader is removed', async () => {
  const made = await nexus.call('POST', '/api/v1/libraries', { key: owner.key, body: { name: 'Shelf' } });
  const library: string = made.body.data.id;
  const saved = await nexus.call('POST', '/api/v1/media', {
    key: owner.key,
    body: { url: `${nexus.site.url}/together` },
  });
  await nexus.call('POST', `/api/v1/libraries/${library}/media`, {
    key: owner.key,
    body: { media_id: saved.body.data.media_id },
  });
  const invited = await nexus.call('POST', `/api/v1/libraries/${library}/invites`, {
    key: owner.key,
    body: { invitee_username: 'felix' },
  });
  await nexus.call('POST', `/api/v1/libraries/invites/${invited.body.data.id}/accept`, { key: friend.key });

  const page = await chromium.open();
  await openLibrary(page, nexus, friend.key);
  await page.getByRole('link', { name: 'Shelf' }).click();
  await page.getByRole('article').getByRole('link', { name: 'What we read together' }).waitFor();
  chromium.forgive(/404/);
  await nexus.call('DELETE', `/api/v1/libraries/${library}/members/${friend.id}`, { key: owner.key });
  await page.getByText('you are no longer a member').waitFor();
  await page.getByRole('link', { name: 'What we read together' }).waitFor({ state: 'detached' });
});

/** Sends a request as a person. */
const as = (who: { key: string }, method: string, path: string, body?: object) =>
  nexus.call(method, `/api/v1${path}`, { key: who.key, body });

test('a contributor adds to a library, removes only what they added, and sees when the role changes', async () => {
  const { body: made } = await as(owner, 'POST', '/libraries', { name: 'Workshop' });
  const library: string = made.data.id;
  await as(owner, 'POST', '/media', { url: `${nexus.site.url}/by-olga`, library_id: library });

  const mine = await chromium.open();
  await openLibrary(mine, nexus, owner.key);
  await mine.getByRole('link', { name: 'Workshop' }).click();
  await mine.getByRole('button', { name: 'Share' }).click();
  await mine.getByText('They can read everything in this library.').waitFor();
  await mine.getByRole('combobox', { name: 'Invite by username' }).fill('felix');
  await mine.getByRole('combobox', { name: 'Role' }).selectOption({ label: 'Contributor' });
  await mine.getByText('They can read everything in this library, add items').waitFor();
  await expectAccessible(mine);
  await mine.getByRole('button', { name: 'Invite', exact: true }).click();
  await mine.getByText('as a contributor, invited by olga').waitFor();

  const theirs = await chromium.open();
  await openLibrary(theirs, nexus, friend.key);
  await theirs
    .getByRole('link', { name: /Invitations/ })
    .first()
    .click();
  await theirs.getByText('olga invited you as a contributor').waitFor();
  await theirs.getByText('remove items that you added').waitFor();
  await theirs.getByRole('button', { name: 'Accept' }).click();
  // The invitation has the same heading as the page of the library.
  await theirs.waitForURL(`**/library/${library}`);
  await theirs.getByRole('heading', { name: 'Workshop' }).waitFor();

  // The save dialog offers the library that is open.
  await theirs.keyboard.press('n');
  await theirs.getByLabel('Links').fill(`${nexus.site.url}/by-felix`);
  await expect.poll(() => theirs.getByLabel('Save to').inputValue()).toBe(library);
  await theirs.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const row = (title: string) =>
    theirs.getByRole('article').filter({ has: theirs.getByRole('link', { name: title }) });
  for (const title of ['Found by Olga', 'Found by Felix']) await row(title).waitFor();

  // The tags of the library: set by a contributor also on what others added, seen by all, and a filter.
  await theirs.getByRole('button', { name: 'Actions for Found by Olga' }).click();
  await theirs.getByRole('menuitem', { name: 'Edit library tags' }).click();
  const tagging = theirs.getByRole('dialog', { name: 'Tags in Workshop' });
  await tagging.getByRole('combobox', { name: 'Library tags' }).fill('To discuss');
  await theirs.keyboard.press('Enter');
  await expectAccessible(theirs, 'tags of a library');
  await tagging.getByRole('button', { name: 'Done' }).click();
  await row('Found by Olga').getByRole('link', { name: 'To discuss (library tag)' }).waitFor();
  await theirs.getByRole('button', { name: 'Actions for Found by Felix' }).click();
  await theirs.getByRole('menuitem', { name: 'Edit library tags' }).click();
  await tagging.getByRole('combobox').fill('disc');
  await tagging.getByRole('combobox').fill('to');
  await theirs.getByRole('option', { name: 'To discuss' }).click();
  await theirs.keyboard.press('Escape');
  const undo = theirs.locator('.toast', { hasText: 'Changed the tags in Workshop' }).last();
  await row('Found by Felix').getByRole('link', { name: 'To discuss (library tag)' }).waitFor();
  await undo.getByRole('button', { name: 'Undo' }).click();
  await row('Found by Felix')
    .getByRole('link', { name: /library tag/ })
    .waitFor({ state: 'detached' });
  await row('Found by Olga').getByRole('link', { name: 'To discuss (library tag)' }).click();
  await row('Found by Felix').waitFor({ state: 'detached' });
  expect(new URL(theirs.url()).searchParams.get('library_tag')).toBe('To discuss');
  await theirs.getByRole('button', { name: 'Remove filter: Library tag To discuss' }).click();
  await row('Found by Felix').waitFor();
  await theirs.getByRole('button', { name: 'Filter' }).click();
  await theirs.getByRole('combobox', { name: 'Library tag' }).selectOption('To discuss');
  await row('Found by Felix').waitFor({ state: 'detached' });
  await theirs.getByRole('button', { name: 'Clear filters' }).click();
  await theirs.keyboard.press('Escape');

  const remove = theirs.getByRole('menuitem', { name: 'Remove from Workshop' });
  await theirs.getByRole('button', { name: 'Actions for Found by Olga' }).click();
  await theirs.getByRole('menuitem', { name: 'Why do I see this?' }).waitFor();
  expect(await remove.count()).toBe(0);
  await theirs.keyboard.press('Escape');
  await theirs.getByRole('button', { name: 'Actions for Found by Felix' }).click();
  await remove.waitFor();
  await theirs.keyboard.press('Escape');

  // Remove concerns one of the two selected items: the one that they added.
  for (const title of ['Found by Olga', 'Found by Felix']) await row(title).getByRole('checkbox').check();
  await theirs.getByRole('button', { name: 'Remove 1' }).waitFor();
  await expectAccessible(theirs);
  await theirs.getByRole('button', { name: 'Members' }).click();
  await theirs.getByText('You can read everything in this library, add items').waitFor();
  await theirs.getByRole('button', { name: 'Close' }).click();

  // The page follows a change of the role.
  await mine.getByRole('combobox', { name: 'Role of felix' }).selectOption({ label: 'Reader' });
  await theirs.getByRole('button', { name: 'Remove 1' }).waitFor({ state: 'detached' });
  await mine.getByRole('combobox', { name: 'Role of felix' }).selectOption({ label: 'Contributor' });
  await theirs.getByRole('button', { name: 'Remove 1' }).click();
  await row('Found by Felix').waitFor({ state: 'detached' });
  // The removal is sent when the page is left.
  await theirs.reload();
  await row('Found by Olga').waitFor();
  await expect
    .poll(async () => (await as(owner, 'GET', `/libraries/${library}/media`)).body.data)
    .toMatchObject([{ title: 'Found by Olga' }]);
});

test('the tags of a library are set on a selection, and renamed, merged and deleted by its editors', async () => {
  const { body: made } = await as(owner, 'POST', '/libraries', { name: 'Study' });
  const library: string = made.data.id;
  for (const path of ['by-olga', 'by-felix'])
    await as(owner, 'POST', '/media', { url: `${nexus.site.url}/${path}`, library_id: library });
  const { body: invited } = await as(owner, 'POST', `/libraries/${library}/invites`, {
    invitee_username: 'felix',
    role: 'contributor',
  });
  await as(friend, 'POST', `/libraries/invites/${invited.data.id}/accept`);

  // A contributor sets them on several items, and takes it back.
  const theirs = await chromium.open();
  await openLibrary(theirs, nexus, friend.key);
  await theirs.getByRole('link', { name: 'Study' }).click();
  // The library that was open before lists the same items.
  await theirs.getByRole('heading', { name: 'Study', exact: true }).waitFor();
  const row = (title: string) =>
    theirs.getByRole('article').filter({ has: theirs.getByRole('link', { name: title }) });
  const chips = (name: string) => theirs.getByRole('link', { name: `${name} (library tag)` });
  const tagSelection = async (name: string) => {
    for (const title of ['Found by Olga', 'Found by Felix']) await row(title).getByRole('checkbox').check();
    await theirs.getByRole('button', { name: 'Library tags' }).click();
    const dialog = theirs.getByRole('dialog', { name: 'Tags of 2 items in Study' });
    await dialog.getByRole('combobox', { name: 'Library tags' }).fill(name);
    await theirs.keyboard.press('Enter');
    await expectAccessible(theirs, 'library tags of a selection');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await expect.poll(() => chips(name).count()).toBe(2);
    await theirs.getByRole('button', { name: 'Clear selection' }).click();
  };
  await tagSelection('Wrong');
  const done = theirs.locator('.toast', { hasText: 'Changed the tags of 2 items in Study' }).last();
  await done.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => chips('Wrong').count()).toBe(0);
  await tagSelection('Tides');
  await theirs.getByRole('button', { name: 'Library actions' }).click();
  await theirs.getByRole('menuitem', { name: 'Leave' }).waitFor();
  expect(await theirs.getByRole('menuitem', { name: 'Manage tags' }).count()).toBe(0);
  await theirs.keyboard.press('Escape');

  // An editor changes them everywhere, and the open page of the contributor follows.
  const { body: listed } = await as(owner, 'GET', `/libraries/${library}/media`);
  const media = listed.data[0].id;
  await as(owner, 'PATCH', `/libraries/${library}/media/${media}`, { tags: ['Tides', 'Sea'] });
  const mine = await chromium.open();
  await openLibrary(mine, nexus, owner.key);
  await mine.getByRole('link', { name: 'Study' }).click();
  await mine.getByRole('button', { name: 'Library actions' }).click();
  await mine.getByRole('menuitem', { name: 'Manage tags' }).click();
  await mine.getByRole('heading', { name: 'Tags in Study' }).waitFor();
  await mine.getByRole('button', { name: 'Rename Tides' }).click();
  const renaming = mine.getByRole('dialog', { name: 'Rename tag' });
  await renaming.getByLabel('Name').fill('sea');
  await renaming
    .getByText(
      'This library already has the tag Sea, on 1 item. The two will be merged: 2 items with Tides will have Sea instead.',
    )
    .waitFor();
  await expectAccessible(mine, 'merging tags of a library');
  await renaming.getByRole('button', { name: 'Merge' }).click();
  await mine.getByText('Merged Tides with Sea').waitFor();
  await expect.poll(() => chips('Sea').count()).toBe(2);
  expect(await chips('Tides').count()).toBe(0);

  await mine.getByRole('button', { name: 'Rename Sea' }).click();
  await renaming.getByLabel('Name').fill('oceans/sea');
  await renaming.getByRole('button', { name: 'Rename', exact: true }).click();
  await expect.poll(() => chips('oceans/sea').count()).toBe(2);
  await mine.getByRole('link', { name: 'oceans/sea' }).waitFor();
  await inBothLooksOf(mine, async (look) => {
    await expectAccessible(mine, look);
    await expectToFit(mine, look);
  });
  await mine.setViewportSize({ width: 1280, height: 800 });
  await mine.getByRole('button', { name: 'Delete oceans/sea' }).click();
  const deleting = mine.getByRole('dialog', { name: 'Delete the tag oceans/sea?' });
  await deleting.getByText('It is removed from 2 items.').waitFor();
  await deleting.getByRole('button', { name: 'Delete', exact: true }).click();
  await mine.getByText('No library tags yet').waitFor();
  await expect.poll(() => chips('oceans/sea').count()).toBe(0);

  // A contributor who opens the page sees the tags, without the buttons.
  await as(friend, 'PATCH', `/libraries/${library}/media/${media}`, { tags: ['Tides'] });
  await theirs.goto(`${nexus.url}/app/library/${library}/tags`);
  await theirs.getByText('Only editors can rename and delete them.').waitFor();
  await theirs.getByRole('link', { name: 'Tides' }).waitFor();
  expect(await theirs.getByRole('button', { name: 'Rename Tides' }).count()).toBe(0);
  await theirs.getByRole('link', { name: 'Tides' }).click();
  await row('Found by').waitFor();
  expect(new URL(theirs.url()).searchParams.get('library_tag')).toBe('Tides');
});
