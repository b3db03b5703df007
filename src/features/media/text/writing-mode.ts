import type { CssNode, List } from 'css-tree';
import generate from 'css-tree/generator';
import { ident, property } from 'css-tree/utils';
import { screenRules } from './page-styles.ts';

type VerticalMode = 'vertical-rl' | 'vertical-lr';

/** The rules of a style sheet that set the direction of lines. */
export interface WritingStyles {
  /** The writing modes of elements, in the order of the sheet. */
  modes: { of: SimpleSelector; mode: string }[];
  /** The elements whose few characters stand upright in a vertical line. */
  upright: SimpleSelector[];
}

interface SimpleSelector {
  element: string | undefined;
  id: string | undefined;
  classes: string[];
}

interface StyledElement {
  localName: string;
  id: string;
  className: string;
  getAttribute(name: string): string | null;
}

/** Reads the writing modes of a sheet. Of a selector, only the last part counts. */
export function writingStyles(sheet: CssNode): WritingStyles {
  const styles: WritingStyles = { modes: [], upright: [] };
  for (const { block, prelude } of screenRules(sheet)) {
    for (const node of block.children.toArray()) {
      if (node.type !== 'Declaration' || prelude.type !== 'SelectorList') continue;
      const { basename: name } = property(node.property.toLowerCase());
      const value = generate(node.value).trim().toLowerCase();
      const selectors = () => prelude.children.toArray().flatMap((selector) => lastPart(selector) ?? []);
      if (name === 'writing-mode') styles.modes.push(...selectors().map((of) => ({ of, mode: value })));
      if (/^text-combine(-upright|-horizontal)?$/.test(name) && /^(all|horizontal)$/.test(value))
        styles.upright.push(...selectors());
    }
  }
  return styles;
}

function lastPart(selector: CssNode): SimpleSelector | undefined {
  const part: SimpleSelector = { element: undefined, id: undefined, classes: [] };
  const nodes = 'children' in selector ? (selector.children as List<CssNode>).toArray() : [];
  const from = nodes.findLastIndex(({ type }) => type === 'Combinator');
  for (const node of nodes.slice(from + 1)) {
    if (node.type === 'TypeSelector') part.element = node.name === '*' ? undefined : node.name.toLowerCase();
    else if (node.type === 'ClassSelector') part.classes.push(ident.decode(node.name));
    else if (node.type === 'IdSelector') part.id = ident.decode(node.name);
    else if (node.type === 'PseudoClassSelector' && node.name === 'root') part.element = 'html';
    else return undefined;
  }
  return part;
}

function matches({ element, id, classes }: SimpleSelector, styled: StyledElement): boolean {
  if (element !== undefined && element !== styled.localName) return false;
  if (id !== undefined && id !== styled.id) return false;
  const own = styled.className.split(/\s+/);
  return classes.every((name) => own.includes(name));
}

/**
 * Returns how the text of a chapter is written: as one of the elements around all of it says, or else as the book does.
 * Undefined means horizontally.
 */
export function writingModeOf(
  roots: StyledElement[],
  sheets: WritingStyles[],
  ofBook: string | undefined,
): VerticalMode | undefined {
  let mode = ofBook;
  for (const root of roots) {
    for (const { modes } of sheets)
      for (const declared of modes) if (matches(declared.of, root)) mode = declared.mode;
    const own = /(?:^|;)\s*(?:-[a-z]+-)?writing-mode\s*:\s*([a-z-]+)/i.exec(root.getAttribute('style') ?? '');
    if (own) mode = own[1]?.toLowerCase();
  }
  if (mode === 'vertical-rl' || mode === 'tb-rl') return 'vertical-rl';
  return mode === 'vertical-lr' || mode === 'tb-lr' ? 'vertical-lr' : undefined;
}

/** Whether the characters of an element stand upright in one place of a vertical line. */
export function isUpright(element: StyledElement, sheets: WritingStyles[]): boolean {
  return sheets.some(({ upright }) =>
    upright.some(
      (selector) => (selector.element || selector.classes.length > 0) && matches(selector, element),
    ),
  );
}
