import { toUSVString } from 'node:util';
import { attribute, type Element, escapeAttribute, escapeText, isSvg, textOf, walk } from './markup.ts';
import { cleanDeclarations, cleanStyles } from './svg-css.ts';

/** A drawing as a file of its own. */
export interface Drawing {
  svg: string;
  /** Its title and description, or the words in it. */
  alt: string;
  width: number | undefined;
  height: number | undefined;
}

const words = (text: string) => new Set(text.split(' '));

const SHAPES = words('path rect circle ellipse line polyline polygon text use image');

const KEPT = new Set([
  ...SHAPES,
  ...words(
    'svg g defs symbol tspan textPath title desc style linearGradient radialGradient stop clipPath mask pattern marker',
  ),
]);

/** Elements that are replaced by their content. All others are dropped with it. */
const DISSOLVED = words('a switch');

const WITH_TEXT = words('text tspan textPath title desc');

const ATTRIBUTES = words(
  'alignment-baseline baseline-shift class clip-path clip-rule clipPathUnits color cx cy d display dominant-baseline dx dy ' +
    'fill fill-opacity fill-rule font-family font-size font-style font-variant font-weight fx fy gradientTransform ' +
    'gradientUnits height id lengthAdjust letter-spacing marker-end marker-mid marker-start markerHeight markerUnits ' +
    'markerWidth mask maskContentUnits maskUnits offset opacity orient overflow paint-order pathLength ' +
    'patternContentUnits patternTransform patternUnits points preserveAspectRatio r refX refY rotate rx ry ' +
    'shape-rendering spreadMethod startOffset stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset ' +
    'stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration ' +
    'text-rendering textLength transform vector-effect viewBox visibility width word-spacing writing-mode x x1 x2 y y1 y2',
);

/** Elements that may refer to another part of the same drawing. */
const REFERRING = words('use textPath linearGradient radialGradient pattern');

const LOCAL = /^#[^\s"'()<>\\]{1,200}$/;
const EMBEDDED_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+$/;

/** The ink of the reader. The drawing stands on paper, also at night, so that what has no colour of its own is readable. */
const INK = '#211e1a';

const MAX_BYTES = 1024 * 1024;
const MAX_NODES = 20_000;
const MAX_DEPTH = 100;
/** The most elements that all `use` together may show. A drawing of a few lines could otherwise fill the memory. */
const MAX_USED = 20_000;

/** Returns a drawing that runs and loads nothing; undefined when it is empty, broken or too large. */
export function sanitizeSvg(root: Element): Drawing | undefined {
  const parts: string[] = [];
  const mayUse = usePermits(root);
  const open: { name: string; end: string }[] = [];
  let shapes = 0;
  let nodes = 0;
  let isTooLarge = false;
  const add = (text: string) => {
    parts.push(text);
    nodes += 1;
    isTooLarge ||= nodes > MAX_NODES * 2 || open.length > MAX_DEPTH;
  };
  walk([root], {
    text(value) {
      const within = open.at(-1)?.name ?? '';
      if (WITH_TEXT.has(within)) add(escapeText(validXml(value)));
      if (within === 'style') add(escapeText(validXml(cleanStyles(value))));
    },
    enter(element) {
      if (isTooLarge || !isSvg(element)) return false;
      const { tagName } = element;
      if (tagName === 'foreignObject') {
        const label = labelOf(element);
        if (label) shapes += 1;
        add(label);
        return false;
      }
      if (DISSOLVED.has(tagName)) {
        open.push({ name: open.at(-1)?.name ?? '', end: '' });
        return true;
      }
      if (!KEPT.has(tagName)) return false;
      if (tagName === 'use' && !mayUse(element)) return false;
      if (tagName === 'image' && !EMBEDDED_IMAGE.test(attribute(element, 'href') ?? '')) return false;
      if (SHAPES.has(tagName)) shapes += 1;
      add(
        `<${tagName}${element === root ? rootAttributes(root) : ''}${attributesOf(element, element === root)}>`,
      );
      open.push({ name: tagName, end: `</${tagName}>` });
      return true;
    },
    leave: () => void parts.push(open.pop()?.end ?? ''),
  });
  const svg = parts.join('');
  if (isTooLarge || shapes === 0 || svg.length > MAX_BYTES) return undefined;
  return { svg, alt: describe(root), ...sizeOf(root) };
}

/** Whether a drawing is an icon or invisible: it decorates a button or a link, and would be noise in a text. */
export function isIcon(svg: Element): boolean {
  if (attribute(svg, 'aria-hidden') === 'true') return true;
  const { width, height } = sizeOf(svg);
  return width !== undefined && height !== undefined && width < 32 && height < 32;
}

/** Returns the image of a drawing that contains nothing else, such as the cover of many books. */
export function onlyImage(svg: Element): string | undefined {
  let image: string | undefined;
  let shapes = 0;
  walk([svg], {
    text: () => undefined,
    enter(element) {
      if (SHAPES.has(element.tagName) || element.tagName === 'foreignObject') shapes += 1;
      if (element.tagName === 'image') image = attribute(element, 'href') ?? attribute(element, 'xlink:href');
      return true;
    },
    leave: () => undefined,
  });
  return shapes === 1 && image !== undefined && !image.startsWith('data:') ? image : undefined;
}

/** Returns the name of a drawing: its title and description, or the words in it. */
export function describe(svg: Element): string {
  const found = new Map<string, string>();
  walk([svg], {
    text: () => undefined,
    enter(element) {
      const { tagName } = element;
      if ((tagName === 'title' || tagName === 'desc') && !found.has(tagName))
        found.set(tagName, textOf(element.childNodes));
      return !found.has('title') || !found.has('desc');
    },
    leave: () => undefined,
  });
  const title = attribute(svg, 'aria-label')?.trim() || found.get('title');
  const named = [title, found.get('desc')].filter(Boolean).join('. ');
  return (named || textOf(svg.childNodes)).slice(0, 500);
}

/** Returns the words that a drawing shows, without its title and description. */
export function wordsOf(svg: Element): string {
  const words: string[] = [];
  walk([svg], {
    text: () => undefined,
    enter(element) {
      if (element.tagName !== 'text' && element.tagName !== 'foreignObject') return true;
      words.push(textOf(element.childNodes));
      return false;
    },
    leave: () => undefined,
  });
  return words.filter(Boolean).join(' ');
}

function sizeOf(svg: Element): Pick<Drawing, 'width' | 'height'> {
  const [, , boxWidth, boxHeight] = (attribute(svg, 'viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const style = attribute(svg, 'style') ?? '';
  const given = (name: 'width' | 'height') =>
    pixels(attribute(svg, name)) ??
    pixels(new RegExp(`(?:^|[;\\s])${name}\\s*:\\s*([^;]+)`).exec(style)?.[1]);
  let [width, height] = [given('width'), given('height')];
  if (boxWidth && boxHeight && boxWidth > 0 && boxHeight > 0) {
    if (width === undefined && height === undefined) [width, height] = [boxWidth, boxHeight];
    width ??= ((height ?? 0) * boxWidth) / boxHeight;
    height ??= (width * boxHeight) / boxWidth;
  }
  return { width: rounded(width), height: rounded(height) };
}

function rounded(value: number | undefined): number | undefined {
  return value === undefined || !Number.isFinite(value) ? undefined : Math.round(value);
}

const PIXELS: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  em: 16,
  rem: 16,
  ex: 8,
  mm: 3.78,
  cm: 37.8,
  in: 96,
};

function pixels(length: string | undefined): number | undefined {
  const [, number = '', unit = ''] = /^\s*(\d*\.?\d+)\s*([a-z]*)\s*$/i.exec(length ?? '') ?? [];
  const factor = PIXELS[unit.toLowerCase()];
  return number === '' || factor === undefined ? undefined : Number(number) * factor;
}

function rootAttributes(root: Element): string {
  const { width, height } = sizeOf(root);
  const size = width && height ? ` width="${width}" height="${height}"` : '';
  const color = attribute(root, 'color') === undefined ? ` color="${INK}"` : '';
  return ` xmlns="http://www.w3.org/2000/svg"${size}${color}`;
}

function attributesOf(element: Element, isRoot: boolean): string {
  const kept = new Map<string, string>();
  for (const { name, value } of element.attrs) {
    if (kept.has(name)) continue;
    if (name === 'style') kept.set(name, cleanDeclarations(value));
    else if (name === 'href' && isAllowedReference(element, value)) kept.set(name, value);
    else if (ATTRIBUTES.has(name) && isHarmless(value) && !(isRoot && /^(width|height)$/.test(name)))
      kept.set(name, value);
  }
  return [...kept].map(([name, value]) => ` ${name}="${escapeAttribute(validXml(value))}"`).join('');
}

function isAllowedReference({ tagName }: Element, value: string): boolean {
  return tagName === 'image' ? EMBEDDED_IMAGE.test(value) : REFERRING.has(tagName) && LOCAL.test(value);
}

/** Whether a value refers to nothing outside of the drawing. */
function isHarmless(value: string): boolean {
  return !/url\(\s*(?!["']?#)|[\\<]|javascript:|data:/i.test(value);
}

/** Decides which `use` elements are kept: those of a part of the drawing that contains no other, within a total. */
function usePermits(root: Element): (use: Element) => boolean {
  const parts = new Map<string, { size: number; hasUse: boolean }>();
  const open: { id: string | undefined; from: number; uses: number }[] = [];
  let count = 0;
  let uses = 0;
  walk([root], {
    text: () => undefined,
    enter(element) {
      open.push({ id: attribute(element, 'id'), from: count, uses });
      count += 1;
      if (element.tagName === 'use') uses += 1;
      return true;
    },
    leave() {
      const part = open.pop();
      if (part?.id !== undefined && !parts.has(part.id))
        parts.set(part.id, { size: count - part.from, hasUse: uses > part.uses });
    },
  });
  let left = MAX_USED;
  return (use) => {
    const part = parts.get((attribute(use, 'href') ?? '').slice(1));
    if (!part || part.hasUse || part.size > left) return false;
    left -= part.size;
    return true;
  };
}

/** Writes the HTML label of a diagram as text in the middle of its box. */
function labelOf(element: Element): string {
  const text = textOf(element.childNodes).slice(0, 300);
  if (text === '') return '';
  const number = (name: string) => pixels(attribute(element, name)) ?? 0;
  const [x, y] = [number('x') + number('width') / 2, number('y') + number('height') / 2];
  return `<text x="${x}" y="${y}" text-anchor="middle" dominant-baseline="central" font-size="14" font-family="sans-serif">${escapeText(validXml(text))}</text>`;
}

/** Removes characters that make XML invalid. */
function validXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML does not allow
  return toUSVString(text).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '');
}

/** Finds the drawing in a parsed file. */
export function findSvg(nodes: Parameters<typeof walk>[0]): Element | undefined {
  let found: Element | undefined;
  walk(nodes, {
    text: () => undefined,
    enter(element) {
      if (!found && isSvg(element) && element.tagName === 'svg') found = element;
      return !found;
    },
    leave: () => undefined,
  });
  return found;
}
