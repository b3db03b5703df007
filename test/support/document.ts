import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { inject } from 'vitest';
import type { Answer, OpenApiDocument, Operation } from '../../src/http/openapi/types.ts';

interface Described {
  pattern: RegExp;
  pointer: string;
  operations: Record<string, Operation>;
}

interface Checker {
  paths: Described[];
  ajv: Ajv2020;
  validators: Map<string, ValidateFunction>;
  describedHeaders: OpenApiDocument['components']['headers'];
}

let checker: Promise<Checker> | undefined;

/** Throws when an answer of Nexus is not as the OpenAPI document describes it. */
export async function checkAnswer(
  url: string,
  method: string,
  requested: string,
  answer: { status: number; headers: Headers; body: unknown },
): Promise<void> {
  const { status, headers, body } = answer;
  if (method === 'HEAD') return;
  checker ??= createChecker(url);
  const { paths, ajv, validators, describedHeaders } = await checker;
  const name = requested.split('?', 1)[0] ?? '';
  const described = paths.find(({ pattern }) => pattern.test(name));
  const operation = described?.operations[method.toLowerCase()];
  const given = operation?.responses[status];
  if (operation && !given && status !== 405)
    throw new Error(`${method} ${requested} answers ${status}, which its operation does not describe.`);
  if (given) checkHeaders(`${method} ${requested} answers ${status}`, given, headers, describedHeaders);
  if (!headers.get('content-type')?.startsWith('application/json')) return;
  const schema = given ? given.content?.['application/json']?.schema : ERROR;
  if (!schema) throw new Error(`${method} ${requested} answers ${status} with JSON, which is not described.`);
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(absolute(schema));
  validators.set(key, validate);
  if (validate(body)) return;
  throw new Error(
    `The answer ${status} to ${method} ${requested} is not as described: ${ajv.errorsText(validate.errors)}`,
  );
}

/** Throws when a header that is described is missing, or when there is one that is not described. */
function checkHeaders(
  answer: string,
  { headers = {} }: Answer,
  given: Headers,
  known: Checker['describedHeaders'],
) {
  const isRefused = / [45]\d\d$/.test(answer);
  for (const [name, { required }] of Object.entries(known)) {
    const isDescribed = name in headers;
    // A refusal may come before the caller, and so the limit, is known.
    const isDue = required || (name.startsWith('RateLimit-') && !isRefused);
    if (isDescribed && isDue && !given.has(name))
      throw new Error(`${answer} without ${name}, which is described.`);
    if (!isDescribed && given.has(name)) throw new Error(`${answer} with ${name}, which is not described.`);
  }
}

const ERROR = { $ref: '#/components/schemas/Error' };

/** The document is the same for all files of a run, so that one of them asks for it. */
async function createChecker(url: string): Promise<Checker> {
  const file = path.join(inject('runDir'), 'openapi.json');
  if (!existsSync(file)) {
    const response = await fetch(`${url}/api/v1/openapi.json`);
    // Renamed when it is complete, because other files may read it at the same time.
    const written = `${file}.${randomUUID()}`;
    await writeFile(written, await response.text());
    await rename(written, file);
  }
  const document: OpenApiDocument = JSON.parse(await readFile(file, 'utf8'));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema({ $id: 'document', components: document.components });
  const paths = Object.entries(document.paths).map(([pointer, operations]) => ({
    pointer,
    operations,
    pattern: new RegExp(`^${pointer.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  }));
  // `/libraries/invites` is a path of its own, not the library with the id `invites`.
  paths.sort((a, b) => a.pointer.split('{').length - b.pointer.split('{').length);
  return { paths, ajv, validators: new Map(), describedHeaders: document.components.headers };
}

function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
}
