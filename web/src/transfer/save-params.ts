import { findLinks } from '../saving/links.ts';

/** What a bookmarklet or a phone hands over; phones put the link where they like. */
export interface SaveParams {
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
