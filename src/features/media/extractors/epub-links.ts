import { escapeAttribute } from '../text/markup.ts';
import { targetId } from '../text/targets.ts';
import type { NavTarget } from './epub-navigation.ts';
import type { ExtractedFragment } from './extraction.ts';

/**
 * Marks links to chapters and ids that other chapters may link to, until the end. Empty chapters are skipped, so fragment
 * numbers are known only then. No text contains the NUL character, because parsers drop it.
 */
export const OPEN = '\0';
const LINK_TO_CHAPTER = / href="#\0(\d+)(?:\/([^"]*))?"/g;
const OPEN_ID = / id="\0([^"]*)"/g;

/** A chapter of the book: its fragment, if it has any content, and the ids in its HTML. */
export interface ChapterTarget {
  fragment: number | undefined;
  ids: Set<string>;
}

/** A part of the document that something links to. */
interface FragmentTarget {
  fragment_idx: number;
  element?: string;
}

export type Links = ReturnType<typeof createLinks>;

/** The links of a book: those in its text, and those of its navigation. `chapters` are by path, in order. */
export function createLinks(chapters: Map<string, ChapterTarget>) {
  const inOrder = [...chapters.values()];
  const wanted = new Set<string>();

  return {
    /** Returns the target of an entry of the navigation, and keeps the id that it needs. */
    to({ path, id }: Pick<NavTarget, 'path' | 'id'>): FragmentTarget | undefined {
      const chapter = chapters.get(path);
      if (chapter?.fragment === undefined) return undefined;
      const fragment_idx = chapter.fragment;
      const element = id === undefined ? undefined : targetId(id);
      if (element === undefined || !chapter.ids.has(escapeAttribute(element))) return { fragment_idx };
      wanted.add(`${fragment_idx}/${escapeAttribute(element)}`);
      return { fragment_idx, element };
    },

    /** Completes the links between chapters, and removes the ids that no link leads to. */
    complete(fragments: ExtractedFragment[]): void {
      for (const fragment of fragments) {
        fragment.html_sanitized = fragment.html_sanitized.replace(LINK_TO_CHAPTER, (_, number, id = '') => {
          const chapter = inOrder[Number(number)];
          if (chapter?.fragment === undefined) return '';
          if (!chapter.ids.has(id)) return ` href="#fragment-${chapter.fragment}"`;
          wanted.add(`${chapter.fragment}/${id}`);
          return ` href="#fragment-${chapter.fragment}/${id}"`;
        });
      }
      for (const fragment of fragments) {
        fragment.html_sanitized = fragment.html_sanitized.replace(OPEN_ID, (_, id) =>
          wanted.has(`${fragment.idx}/${id}`) ? ` id="${id}"` : '',
        );
      }
    },
  };
}
