import { findLinks } from '../saving/links.ts';

/** The search params of a bookmarklet or a share target. Phones put the link in any of them. */
interface SaveParams {
  url?: string;
  title?: string;
  text?: string;
}

export function readSaveParams(search: Record<string, unknown>): SaveParams {
  const read = (name: keyof SaveParams) => {
    const value = search[name];
    return value === undefined || value === '' ? {} : { [name]: String(value).slice(0, 5000) };
  };
  return { ...read('url'), ...read('title'), ...read('text') };
}

export function linkIn({ url = '', text = '', title = '' }: SaveParams): string | undefined {
  return [url, text, title].flatMap(findLinks)[0];
}
