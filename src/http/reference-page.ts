import { createHash } from 'node:crypto';
import { REFERENCE_STYLE } from './reference-style.ts';

/** The parts of an OpenAPI document that the page shows. */
interface Document {
  info: { title: string; version: string; description?: string };
  paths?: Record<string, Record<string, Operation>>;
}

interface Operation {
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
  security?: Record<string, unknown>[];
  'x-minimum-role'?: string;
}

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
}

interface Entry {
  anchor: string;
  method: string;
  path: string;
  operation: Operation;
}

/** Renders the API reference as one HTML page without scripts or external resources. */
export function renderReference(document: object): { html: string; styleHash: string } {
  const { info, paths = {} } = document as Document;
  const groups = groupByTag(paths);
  const styleHash = `sha256-${createHash('sha256').update(REFERENCE_STYLE).digest('base64')}`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(info.title)} API</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<nav aria-label="Operations">
<h1>${escapeHtml(info.title)} <small>${escapeHtml(info.version)}</small></h1>
<p><a href="/openapi.json">openapi.json</a></p>
${[...groups].map(([tag, entries]) => renderContents(tag, entries)).join('\n')}
</nav>
<main>
<p class="lead">${inlineCode(info.description ?? '')}</p>
${[...groups].map(([tag, entries]) => renderGroup(tag, entries)).join('\n')}
</main>
</body>
</html>`;
  return { html, styleHash };
}

function groupByTag(paths: Record<string, Record<string, Operation>>): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const tag = operation.tags?.[0] ?? 'Other';
      const anchor = `${method}${path}`.replace(/[^a-z0-9]+/gi, '-').replace(/-$/, '');
      groups.set(tag, [...(groups.get(tag) ?? []), { anchor, method, path, operation }]);
    }
  }
  return new Map([...groups].sort(([a], [b]) => a.localeCompare(b)));
}

function renderContents(tag: string, entries: Entry[]): string {
  const links = entries.map(
    ({ anchor, method, path, operation }) =>
      `<li><a href="#${anchor}" title="${escapeHtml(`${method.toUpperCase()} ${path}`)}"><b class="${method}">${method}</b> ${escapeHtml(
        operation.summary ?? path,
      )}</a></li>`,
  );
  return `<h2>${escapeHtml(tag)}</h2>\n<ul>${links.join('')}</ul>`;
}

function renderGroup(tag: string, entries: Entry[]): string {
  return `<section>\n<h2>${escapeHtml(tag)}</h2>\n${entries.map(renderOperation).join('\n')}\n</section>`;
}

function renderOperation({ anchor, method, path, operation }: Entry): string {
  const body = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  const parts = [
    operation.description ? `<p>${inlineCode(operation.description)}</p>` : '',
    renderParameters(operation.parameters ?? []),
    body ? `<h4>Body</h4>${renderFields(body)}` : '',
    ...Object.entries(operation.responses ?? {}).map(renderResponse),
  ];
  return `<article id="${anchor}">
<h3><a href="#${anchor}"><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code></a>${renderAccess(operation)}</h3>
<p class="summary">${inlineCode(operation.summary ?? '')}</p>
${parts.filter(Boolean).join('\n')}
</article>`;
}

function renderAccess(operation: Operation): string {
  const role = operation['x-minimum-role'];
  if (role) return ` <span class="access">${escapeHtml(role)}</span>`;
  return operation.security
    ? ' <span class="access">internal</span>'
    : ' <span class="access open">public</span>';
}

function renderParameters(parameters: NonNullable<Operation['parameters']>): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: location, required, schema = {} }) =>
    row(name, `${describe(schema)} <i>in ${escapeHtml(location)}</i>`, required === true, schema),
  );
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`;
}

function renderResponse([status, response]: [string, NonNullable<Operation['responses']>[string]]): string {
  if (Number(status) >= 400) {
    return `<p class="failure"><b>${escapeHtml(status)}</b> ${escapeHtml(response.description ?? '')}</p>`;
  }
  const schema = Object.values(response.content ?? {})[0]?.schema;
  return `<h4>Response <b>${escapeHtml(status)}</b></h4>${schema ? renderFields(schema) : ''}`;
}

function renderFields(schema: Schema): string {
  if (!schema.properties) return `<p>${describe(schema)}</p>`;
  const rows = Object.entries(schema.properties).map(([name, field]) => {
    const inner = field.properties ? field : field.items?.properties ? field.items : undefined;
    return (
      row(name, describe(field), schema.required?.includes(name) ?? false, field) +
      (inner ? `<tr><td colspan="2" class="inner">${renderFields(inner)}</td></tr>` : '')
    );
  });
  return `<table>${rows.join('')}</table>`;
}

function row(name: string, description: string, required: boolean, schema: Schema): string {
  const defaultValue =
    schema.default === undefined
      ? ''
      : ` <i>default</i> <code>${escapeHtml(JSON.stringify(schema.default))}</code>`;
  return `<tr><th scope="row"><code>${escapeHtml(name)}</code>${required ? '' : ' <i>optional</i>'}</th><td>${description}${defaultValue}</td></tr>`;
}

function describe(schema: Schema): string {
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ');
  if (schema.anyOf) return schema.anyOf.map(describe).join(' or ');
  if (schema.items) return `list of ${describe(schema.items)}`;
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  const min = schema.minimum ?? schema.minLength;
  const max = schema.maximum ?? schema.maxLength;
  const range =
    min !== undefined && max !== undefined && max < Number.MAX_SAFE_INTEGER ? `, ${min} to ${max}` : '';
  return escapeHtml(`${schema.format ?? type}${range}`);
}

function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
