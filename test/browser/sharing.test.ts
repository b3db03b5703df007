import { beforeAll, test } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible, openLibrary } from './person.ts';

const nexus = useNexus((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: 'What we read together' }));
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
