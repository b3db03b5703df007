import { createHash } from 'node:crypto';
import { html } from 'parse5';
import type { Element } from '../text/markup.ts';
import { type Drawing, describe, findSvg, isIcon, onlyImage, sanitizeSvg, wordsOf } from '../text/svg.ts';
import type { Asset } from './extraction.ts';
import { type PageDocument, type PageElement, parsePage } from './page-dom.ts';
import { fromPage } from './page-markup.ts';

/** Stands for drawings in URLs, until the sanitiser asks where they are served. */
const DRAWING = 'https://drawing.invalid/';

const MAX_DRAWINGS = 500;
const MAX_TOTAL_BYTES = 20 * 1024 * 1024;

export type Drawings = ReturnType<typeof createDrawings>;

/** The drawings of a document, which become files. `assetPath` is their URL prefix. */
export function createDrawings(assetPath: string) {
  const assets = new Map<string, Asset>();
  const used = new Set<Asset>();
  let bytes = 0;

  function add({ svg }: Drawing): Asset | undefined {
    const asset = svgAsset(svg);
    const known = assets.get(asset.name);
    if (known) return known;
    bytes += asset.bytes.length;
    if (assets.size >= MAX_DRAWINGS || bytes > MAX_TOTAL_BYTES) return undefined;
    assets.set(asset.name, asset);
    return asset;
  }

  /** Replaces a drawing by an image, which Readability keeps. On a fixed page, the image has the place of the drawing. */
  function replace(page: PageDocument, svg: PageElement, isFixed: boolean): void {
    const element = fromPage(svg) as Element;
    if (!isFixed && isIcon(element)) return;
    const image = onlyImage(element);
    const drawing = image === undefined ? sanitizeSvg(element) : undefined;
    const asset = drawing && add(drawing);
    if (image === undefined && !asset) return;
    const shown = page.createElement('img');
    shown.setAttribute('src', asset ? DRAWING + asset.name : (image ?? ''));
    shown.setAttribute('alt', drawing?.alt ?? describe(element));
    if (drawing?.width && drawing.height) {
      shown.setAttribute('width', String(drawing.width));
      shown.setAttribute('height', String(drawing.height));
    }
    if (isFixed) takePlace(page, shown, svg);
    svg.parentNode?.replaceChild(shown, svg);
  }

  return {
    replaceIn(page: PageDocument, { isFixed = false } = {}): void {
      for (const svg of page.querySelectorAll('svg')) {
        const isOutermost =
          !(svg.parentNode && 'namespaceURI' in svg.parentNode) ||
          svg.parentNode.namespaceURI !== html.NS.SVG;
        if (svg.namespaceURI === html.NS.SVG && isOutermost) replace(page, svg, isFixed);
      }
    },

    /** Returns the URL of a drawing that is shown; undefined for another image. */
    urlOf(src: string): string | undefined {
      const asset = src.startsWith(DRAWING) ? assets.get(src.slice(DRAWING.length)) : undefined;
      if (asset) used.add(asset);
      return asset && assetPath + asset.name;
    },

    /** The drawings that are shown. */
    used: (): Asset[] => [...used],
  };
}

/** Marks the words of a drawing, which a fixed page contains as text. */
export const DRAWN_WORDS = 'data-drawn-words';

/** Gives an image the style and size of the drawing on a fixed page, and puts the words of the drawing beside it. */
function takePlace(page: PageDocument, image: PageElement, svg: PageElement): void {
  for (const name of ['class', 'id']) {
    const value = svg.getAttribute(name);
    if (value !== null) image.setAttribute(name, value);
  }
  const length = (name: string) =>
    svg
      .getAttribute(name)
      ?.trim()
      .replace(/^[\d.]+$/, '$&px');
  const fit = svg.getAttribute('preserveAspectRatio')?.trim() === 'none' ? 'fill' : 'contain';
  image.setAttribute(
    'style',
    `width:${length('width') ?? '100%'};height:${length('height') ?? 'auto'};object-fit:${fit};${svg.getAttribute('style') ?? ''}`,
  );
  image.removeAttribute('width');
  image.removeAttribute('height');
  const text = wordsOf(fromPage(svg) as Element);
  if (text === '') return;
  if (image.getAttribute('alt') === text.slice(0, 500)) image.setAttribute('alt', '');
  const words = page.createElement('span');
  words.setAttribute(DRAWN_WORDS, '');
  words.appendChild(page.createTextNode(text));
  svg.parentNode?.insertBefore(words, svg.nextSibling);
}

/** A drawing in a file. `words` is the text in it. */
export interface SvgFile extends Pick<Drawing, 'alt' | 'width' | 'height'> {
  asset: Asset;
  words: string;
}

/** Returns the asset of an SVG file; undefined for one that shows nothing. */
export function readSvgFile(text: string): SvgFile | undefined {
  const page = parsePage(text);
  const svg = findSvg(page.childNodes.map((node) => fromPage(node)));
  const drawing = svg && sanitizeSvg(svg);
  if (!drawing) return undefined;
  const { alt, width, height } = drawing;
  return { asset: svgAsset(drawing.svg), alt, width, height, words: wordsOf(svg) };
}

/** Files are named by their hash, so that duplicates are stored once. */
function svgAsset(svg: string): Asset {
  const bytes = new TextEncoder().encode(svg);
  return { name: `${hashName(bytes)}.svg`, content_type: 'image/svg+xml', bytes };
}

export function hashName(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 32);
}
