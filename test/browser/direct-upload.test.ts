import S3rver from 's3rver';
import { afterAll, expect, test } from 'vitest';
import { DEV_KEYS } from '../support/call.ts';
import { makePdf } from '../support/fixtures/pdf.ts';
import { newDirectory } from '../support/workspace.ts';
import { useChromium } from './chromium.ts';
import { useNexus } from './nexus.ts';
import { drop, openLibrary } from './person.ts';

const CORS = `<CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <CORSRule>
    <AllowedOrigin>*</AllowedOrigin>
    <AllowedMethod>PUT</AllowedMethod>
    <AllowedHeader>*</AllowedHeader>
  </CORSRule>
</CORSConfiguration>`;

const store = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: await newDirectory('s3'),
  configureBuckets: [{ name: 'nexus', configs: [CORS] }],
});
const origin = `http://127.0.0.1:${(await store.run()).port}`;
afterAll(() => store.close());

const nexus = useNexus((_request, response) => void response.writeHead(404).end(), {
  NEXUS_STORAGE: 's3',
  NEXUS_S3_ENDPOINT: origin,
  NEXUS_S3_BUCKET: 'nexus',
  NEXUS_S3_ACCESS_KEY_ID: 'S3RVER',
  NEXUS_S3_SECRET_ACCESS_KEY: 'S3RVER',
  NEXUS_S3_DIRECT_UPLOADS: 'true',
});
const chromium = useChromium();

/** A violation of the Content-Security-Policy would fail the test. */
test('a dropped file is uploaded directly to the object store', async () => {
  const page = await chromium.open();
  await openLibrary(page, nexus, DEV_KEYS.researcher);
  const put = page.waitForRequest((request) => request.method() === 'PUT');
  await drop(
    page,
    'tides.pdf',
    'application/pdf',
    makePdf({ title: 'Tide tables', pages: [['High water at noon.']] }),
  );
  expect(new URL((await put).url()).origin).toBe(origin);
  await page.getByRole('link', { name: 'Tide tables' }).click();
  await page.locator('.pdf-text', { hasText: 'High water at noon.' }).waitFor();
});
