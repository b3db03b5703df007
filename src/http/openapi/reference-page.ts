import { createHash } from 'node:crypto';
import { REFERENCE_STYLE } from './reference-style.ts';
import type { Answer, Content, JsonSchema, OpenApiDocument, Operation, Parameter } from './types.ts';

interface Entry {
  anchor: string;
  method: string;
  path: string;
  operation: Operation;
}

interface Group {
  name: string;
  description: string;
  entries: Entry[];
}

/** Renders the API reference as one HTML page without scripts or external resources. */
export function renderReference(document: OpenApiDocument): { html: string; styleHash: string } {
  const { info, components } = document;
  const groups = groupByTag(document);
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
<p><a href="/api/v1/openapi.json">openapi.json</a></p>
${groups.map(renderContents).join('\n')}
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main>
<p class="lead">${inlineCode(info.description)}</p>
${groups.map(renderGroup).join('\n')}
<section id="schemas">
<h2>Schemas</h2>
${Object.entries(components.schemas).map(renderSchema).join('\n')}
</section>
</main>
</body>
</html>`;
  return { html, styleHash };
}

/** Former paths are left out: their operations are there under the path of today. */
function groupByTag({ paths, tags }: OpenApiDocument): Group[] {
  const entries = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/') || !Object.hasOwn(paths, `/api/v1${path}`))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        anchor: operation.operationId,
        method,
        path,
        operation,
      })),
    );
  return tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

function renderContents({ name, entries }: Group): string {
  const links = entries.map(
    ({ anchor, method, path, operation }) =>
      `<li><a href="#${anchor}" title="${escapeHtml(`${method.toUpperCase()} ${path}`)}"><b class="${method}">${method}</b> ${escapeHtml(operation.summary)}</a></li>`,
  );
  return `<h2>${escapeHtml(name)}</h2>\n<ul>${links.join('')}</ul>`;
}

function renderGroup({ name, description, entries }: Group): string {
  const articles = entries.map(renderOperation);
  return `<section>\n<h2>${escapeHtml(name)}</h2>\n<p class="lead">${inlineCode(description)}</p>\n${articles.join('\n')}\n</section>`;
}

function renderOperation({ anchor, method, path, operation }: Entry): string {
  const parts = [
    `<p>${inlineCode(operation.description)}</p>`,
    renderParameters(operation.parameters ?? []),
    operation.requestBody ? `<h4>Body</h4>${renderContent(operation.requestBody.content)}` : '',
    ...Object.entries(operation.responses).map(([status, answer]) => renderResponse(status, answer)),
  ];
  const flag = operation.deprecated ? ' <span class="access">deprecated</span>' : '';
  return `<article id="${anchor}">
<h3><a href="#${anchor}"><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code></a>${renderAccess(operation)}${flag}</h3>
<p class="summary">${inlineCode(operation.summary)}</p>
${parts.filter(Boolean).join('\n')}
</article>`;
}

function renderAccess(operation: Operation): string {
  const role = operation['x-minimum-role'];
  if (role) return ` <span class="access">${escapeHtml(role)}</span>`;
  return operation.security.length > 0
    ? ' <span class="access">internal</span>'
    : ' <span class="access open">public</span>';
}

function renderParameters(parameters: Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: location, required, schema, description }) =>
    row(name, `${describe(schema)} <i>in ${location}</i>`, required, { ...schema, description }),
  );
  return `<h4>Parameters</h4><table>${rows.join('')}</table>`;
}

function renderResponse(status: string, response: Answer): string {
  if (Number(status) >= 400) {
    return `<p class="failure"><b>${escapeHtml(status)}</b> ${escapeHtml(response.description)}</p>`;
  }
  return `<h4>Response <b>${escapeHtml(status)}</b></h4>${response.content ? renderContent(response.content) : ''}`;
}

function renderContent(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema, example }]) => {
      const shown = example === undefined ? '' : renderExample(example);
      return `${type === 'application/json' ? '' : `<p><code>${escapeHtml(type)}</code></p>`}${renderFields(schema)}${shown}`;
    })
    .join('');
}

function renderExample(example: unknown): string {
  const json = escapeHtml(JSON.stringify(example, null, 2));
  return `<details><summary>Example</summary><pre><code>${json}</code></pre></details>`;
}

function renderSchema([name, schema]: [string, JsonSchema]): string {
  return `<article id="${schemaAnchor(name)}"><h3><code>${escapeHtml(name)}</code></h3>${renderFields(schema)}</article>`;
}

function renderFields(schema: JsonSchema): string {
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

function row(name: string, type: string, required: boolean, schema: JsonSchema): string {
  const defaultValue =
    schema.default === undefined
      ? ''
      : ` <i>default</i> <code>${escapeHtml(JSON.stringify(schema.default))}</code>`;
  const description = schema.description ? `<br>${inlineCode(schema.description)}` : '';
  return `<tr><th scope="row"><code>${escapeHtml(name)}</code>${required ? '' : ' <i>optional</i>'}</th><td>${type}${defaultValue}${description}</td></tr>`;
}

function describe(schema: JsonSchema): string {
  if (schema.$ref) {
    const name = nameIn(schema.$ref);
    return `<a href="#${schemaAnchor(name)}">${escapeHtml(name)}</a>`;
  }
  if (schema.const !== undefined) return `<code>${escapeHtml(JSON.stringify(schema.const))}</code>`;
  if (schema.enum) return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(describe).join(' or ');
  if (schema.items) return `list of ${describe(schema.items)}`;
  const types = [schema.type ?? 'anything'].flat();
  const type = schema.format ? [schema.format, ...types.slice(1)] : types;
  const min = schema.minimum ?? schema.minLength;
  const max = schema.maximum ?? schema.maxLength;
  const range = min !== undefined && max !== undefined ? `, ${min} to ${max}` : '';
  return escapeHtml(`${type.join(' or ')}${range}`);
}

function nameIn(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

function inlineCode(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
