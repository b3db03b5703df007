import { expect, test } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { expectAccessible } from './person.ts';

const nexus = useNexus((_request, response) => {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(makePage({ title: 'The lamp on the desk', paragraphs: 40 }));
});
const chromium = useChromium();

test('the welcome page says where to find the sign-in link when it is opened without one', async () => {
  const page = await chromium.open();
  await page.goto(`${nexus.url}/app/welcome`);
  await page.getByText('the terminal prints it').waitFor();
  await page.getByText('ask an admin').waitFor();
  await expectAccessible(page);
});

test('from the first start to reading an article, and continuing where it was left', async () => {
  const page = await chromium.open();
  await page.goto(nexus.signInLink);
  await expectAccessible(page);
  await page.getByLabel('Your name').fill('Ada Reader');
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Continue' }).click();

  await page.getByLabel('Link').fill(`${nexus.site.url}/lamp`);
  await page.getByRole('button', { name: 'Save and open my library' }).click();
  await page.getByRole('link', { name: 'The lamp on the desk' }).click();
  await page.locator('.prose p').nth(19).waitFor();
  await expectAccessible(page);

  const kept = page.waitForResponse(
    (response) =>
      response.url().endsWith('/reading') && (response.request().postData() ?? '').includes('"block":'),
  );
  await page.evaluate(`document.querySelectorAll('.prose p')[19].scrollIntoView()`);
  await kept;
  await page.reload();
  await expect
    .poll(() =>
      page.evaluate(`document.querySelectorAll('.prose p')[19]?.getBoundingClientRect().top ?? 9999`),
    )
    .toBeLessThan(300);

  await page.getByRole('button', { name: 'Mark as finished' }).first().click();
  await page.getByText('Marked as finished').waitFor();
  await page.getByRole('button', { name: 'Back', exact: true }).click();
  await page.getByRole('article').getByText('Finished', { exact: true }).waitFor();
});

test('a first visit leads to the sign-in page without errors', async () => {
  const page = await chromium.open();
  await page.goto(`${nexus.url}/app/settings`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

test('signing out and in again with a password', async () => {
  const page = await chromium.open();
  await page.goto(`${nexus.url}/app/sign-in`);
  await expectAccessible(page);
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  chromium.forgive(/401.*\/app\/session/);

  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Ada Reader' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();

  await page.goto(`${nexus.url}/app/settings`);
  await page.getByLabel('Username').fill('ada');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
});

test('a used sign-in link shows that it has expired', async () => {
  chromium.forgive(/401.*\/app\/session/);
  const page = await chromium.open();
  await page.goto(nexus.signInLink);
  await page.getByText('This link has expired').waitFor();
});
