import type { MediaFragment, MediaWithOutline } from '../../contract/media.ts';
import { markdownOf, plainMarkdown } from './markdown.ts';
import { type Judge, shownParts } from './shown.ts';

/**
 * A document as Markdown, behind what is known of it. Policies judge the plain text: markup inside a word would hide it
 * from them. Where they find something, the part is written without its markup.
 */
export async function markdownFile(
  media: MediaWithOutline,
  fragments: MediaFragment[],
  judge: Judge,
): Promise<{ title: string; parts: string[] }> {
  const subject = { media_id: media.id };
  const { published, language } = media;
  const [title, author, site] = await shownParts([media.title, media.author, media.site], subject, judge);
  const url = media.canonical_url ?? media.requested_url;
  const parts = [frontMatter({ title, author, site, published, language, url }), heading(1, title ?? '')];
  for (const fragment of fragments) {
    const [shown = { title: null, text: '' }] = await shownParts([textOf(fragment)], subject, judge);
    if (fragments.length > 1 && shown.title) parts.push(heading(2, shown.title));
    const isWhole = shown.text === fragment.canonical_text;
    const rich = isWhole ? markdownOf(fragment.html_sanitized) : '';
    const [body = ''] = await shownParts([rich || plainMarkdown(shown.text)], subject, judge);
    parts.push(`${body}\n\n`);
  }
  return { title: title ?? '', parts };
}

const textOf = ({ title, canonical_text }: MediaFragment) => ({ title, text: canonical_text });

function heading(level: number, text: string): string {
  return `${'#'.repeat(level)} ${plainMarkdown(text.replace(/\s+/g, ' '))}\n\n`;
}

/** YAML, whose strings may be written as JSON has them. */
function frontMatter(fields: Record<string, string | null | undefined>): string {
  const lines = Object.entries(fields)
    .filter(([, value]) => value != null)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n\n`;
}
