import { createClient } from '@hey-api/openapi-ts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import openapiTypescript, { astToString } from 'openapi-typescript';

const { Spectral } = spectralCore;

/** Returns what Redocly's recommended rules find, each as one line. */
export async function lintWithRedocly(document) {
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ severity, ruleId, message, location }) => ({
    severity,
    problem: `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
  }));
}

/** Returns what Spectral's recommended rules find, each as one line. */
export async function lintWithSpectral(document) {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] });
  const problems = await spectral.run(document);
  return problems.map(({ severity, code, message, path }) => ({
    severity: ['error', 'warn', 'info', 'hint'][severity],
    problem: `${code}: ${message} (${path.join('/')})`,
  }));
}

/** Generates TypeScript types with openapi-typescript. */
export async function generateTypes(document) {
  return astToString(await openapiTypescript(document));
}

/** Generates a TypeScript client with @hey-api/openapi-ts into a directory. */
export async function generateClient(document, directory) {
  await createClient({ input: document, output: directory, logs: { level: 'silent' } });
}
