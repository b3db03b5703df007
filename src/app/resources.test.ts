import { expect, test } from 'vitest';
import { startSite } from '../../test/support/internet.ts';
import { silentLog } from '../../test/support/jobs.ts';
import { newDirectory } from '../../test/support/workspace.ts';
import { parseConfig } from './config.ts';
import { createResources } from './resources.ts';

test('a private model is reached by the model client alone, and nothing else of this machine by it', async () => {
  const model = await startSite((_request, response) => response.end('model'));
  const other = await startSite((_request, response) => response.end('other'));
  const config = parseConfig({
    NEXUS_DATA_DIR: await newDirectory(),
    NEXUS_EGRESS_ALLOW: other.host,
    NEXUS_PLUGIN_ML_ENABLED: 'true',
    NEXUS_PLUGIN_ML_URL: `${model.url}/v1`,
    NEXUS_PLUGIN_ML_MODEL: 'm',
  });
  const resources = createResources({ config, log: silentLog });
  try {
    const blocked = { code: 'E_SSRF_BLOCKED' };
    expect((await resources.modelEgress.fetchText(`${model.url}/v1/models`)).text).toBe('model');
    await expect(resources.egress.fetchText(`${model.url}/v1/models`)).rejects.toMatchObject(blocked);
    await expect(resources.egress.check(model.url)).rejects.toMatchObject(blocked);
    expect((await resources.egress.fetchText(other.url)).text).toBe('other');
    await expect(resources.modelEgress.fetchText(other.url)).rejects.toMatchObject(blocked);
    expect([model.connections, other.connections]).toEqual([1, 1]);
  } finally {
    await resources.close();
  }
});

test.each([
  ['http://model.example/v1', 'http://model.example/'],
  ['https://model.example/v1', 'https://model.example/'],
  ['http://[::1]:8000/v1', 'http://[::1]:8000/'],
])('the model at %s is allowed at its own port', async (url, allowed) => {
  const config = parseConfig({
    NEXUS_DATA_DIR: await newDirectory(),
    NEXUS_PLUGIN_ML_ENABLED: 'true',
    NEXUS_PLUGIN_ML_URL: url,
    NEXUS_PLUGIN_ML_MODEL: 'm',
  });
  const resources = createResources({ config, log: silentLog });
  try {
    // A name that cannot be resolved here fails for that reason, and an address does not fail.
    const outcome = await resources.modelEgress.check(allowed).catch((error) => error);
    if (outcome !== undefined) expect(outcome).toMatchObject({ isUnresolved: true });
    await expect(resources.modelEgress.check('http://[::1]:8001/')).rejects.toMatchObject({
      code: 'E_SSRF_BLOCKED',
      isUnresolved: false,
    });
  } finally {
    await resources.close();
  }
});
