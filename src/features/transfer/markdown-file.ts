import type { MediaFragment, MediaWithOutline } from '../../contract/media.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Governance } from '../governance/governance.ts';
import { costOfJudging } from '../governance/work.ts';
import { type exportWork, headingOf } from './work.ts';

export interface MarkdownDependencies {
  governance: Pick<Governance, 'shown' | 'settle' | 'rules'>;
  run: RunByCost<typeof exportWork>;
}

/** The most characters that one task processes. A longer fragment is a task of its own. */
const WRITTEN_AT_ONCE = 500_000;
/** The number of passes over a text that it takes: parsing, escaping, joining. */
const PASSES = 10;

/** Writes the metadata of a document and its text as Markdown. Throws when a policy blocks any part of it. */
export async function markdownFile(
  { governance, run }: MarkdownDependencies,
  media: MediaWithOutline,
  fragments: MediaFragment[],
  { mode, actor }: { mode: Mode; actor: Actor },
): Promise<{ title: string; parts: (string | Uint8Array)[] }> {
  const subject = { kind: 'export', media_id: media.id };
  const { published, language } = media;
  const said = { title: media.title, author: media.author, site: media.site };
  const { title, author, site } = await governance.shown(said, mode, actor, subject);
  const url = media.canonical_url ?? media.requested_url;
  const head = frontMatter({ title, author, site, published, language, url });
  const parts: (string | Uint8Array)[] = [head, headingOf(1, title ?? '')];
  const rules = await governance.rules(mode);
  for (const group of grouped(fragments)) {
    const size = group.reduce((sum, fragment) => sum + sizeOf(fragment), 0);
    const cost = PASSES * size + 2 * costOfJudging(rules, size);
    const task = { fragments: group, withTitles: fragments.length > 1, rules };
    const { markdown, hits } = await run('export.markdown', task, { cost });
    await governance.settle({ hits, mode, actor, subject });
    if (markdown) parts.push(markdown);
  }
  return { title: title ?? '', parts };
}

function* grouped(fragments: MediaFragment[]): Generator<MediaFragment[]> {
  let group: MediaFragment[] = [];
  let size = 0;
  for (const fragment of fragments) {
    if (group.length > 0 && size + sizeOf(fragment) > WRITTEN_AT_ONCE) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(fragment);
    size += sizeOf(fragment);
  }
  if (group.length > 0) yield group;
}

function sizeOf({ title, canonical_text, html_sanitized }: MediaFragment): number {
  return (title?.length ?? 0) + canonical_text.length + html_sanitized.length;
}

/** Writes YAML front matter. JSON strings are valid YAML. */
function frontMatter(fields: Record<string, string | null | undefined>): string {
  const lines = Object.entries(fields)
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n\n`;
}
