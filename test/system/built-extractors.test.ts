/**
 * Runs the built program.
 *
 * @module-tag slow
 */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makePage } from '../support/fixtures/pages.ts';
import { startSite } from '../support/internet.ts';
import { newDirectory } from '../support/workspace.ts';

/** Runs the extractors in a process without TypeScript: their worker's module must be found in dist/. */
test('the extractors work in the built program', async () => {
  const site = await startSite((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(makePage()),
  );
  const dist = new URL('../../dist', import.meta.url).href;
  const program = `
    import { createExtractors } from '${dist}/features/media/extractors/extractors.js';
    import { createEgress } from '${dist}/platform/egress/egress.js';
    const extractors = createExtractors({ egress: createEgress({ allow: ['${site.host}'] }) });
    const { extraction } = await extractors.webArticle({ url: '${site.url}', imagePath: '/i' });
    process.stdout.write(extraction.title);
    // It ends by itself: idle processes of a pool do not keep it alive.`;
  const file = path.join(await newDirectory(), 'program.mjs');
  await writeFile(file, program);
  const { stdout } = await promisify(execFile)(process.execPath, [file], { timeout: 30_000 });
  expect(stdout).toBe('The lamp');
});
