import { beforeAll, expect, test } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, openLibrary } from './person.ts';

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

test('a contributor adds to a library, removes only what they added, and sees when the role changes', async () => {
  const as = (who: { key: string }, method: string, path: string, body?: object) =>
    nexus.call(method, `/api/v1${path}`, { key: who.key, body });
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

  // Of two selected items, the one that they added.
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
