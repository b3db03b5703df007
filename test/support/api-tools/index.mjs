import { createClient } from '@hey-api/openapi-ts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import openapiTypescript, { astToString } from 'openapi-typescript';

const { Spectral } = spectralCore;

/** Returns what Redocly's recommended rules find, each as one line. */
export async function lintWithRedocly(document) {
  const config = await createConfig({ extends: ['recommended'] });
  const source = JSON.stringify(withoutRepetitions(document));
  const problems = await lintFromString({ source, config });
  return problems.map(({ severity, ruleId, message, location }) => ({
    severity,
    problem: `${ruleId}: ${message} (${location[0]?.pointer ?? ''})`,
  }));
}

/** Returns what Spectral's recommended rules find, each as one line. */
export async function lintWithSpectral(document) {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas, 'recommended']] });
  const problems = await spectral.run(withoutRepetitions(document));
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

/**
 * Returns the document with each distinct body and set of headers of an operation once. The linters judge each of them on
 * its own, so equal ones get the same result, and nine of ten examples in the document are equal to an earlier one.
 */
function withoutRepetitions(document) {
  const copy = structuredClone(document);
  const seen = new Set();
  const isRepeated = (value) => {
    const text = JSON.stringify(value);
    return seen.has(text) || !seen.add(text);
  };
  for (const methods of [...Object.values(copy.paths), ...Object.values(copy.webhooks)]) {
    for (const { requestBody, responses } of Object.values(methods)) {
      for (const part of [requestBody, ...Object.values(responses)]) {
        for (const [type, body] of Object.entries(part?.content ?? {}))
          if (isRepeated(body)) part.content[type] = {};
        if (part?.headers && isRepeated(part.headers)) delete part.headers;
      }
    }
  }
  return copy;
}
