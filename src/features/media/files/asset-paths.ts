import { API } from '../../../contract/wire.ts';

/** Returns the path of an image of another site, which Nexus serves, or the prefix of these paths. */
export function imagePath(url = ''): string {
  return `${API}/media/images?url=${encodeURIComponent(url)}`;
}

/** Returns the path that the assets of a media have before their name. */
export function assetPath(mediaId: string): string {
  return `${API}/media/${mediaId}/assets/`;
}

/** The names of the assets of a thumbnail. They contain a hash of its content, so that browsers can keep them. */
export function thumbnailNames(thumbnail: string): { small: string; large: string } {
  return { small: `thumbnail-${thumbnail}-small.webp`, large: `thumbnail-${thumbnail}-large.webp` };
}

export const isThumbnail = (name: string) => /^thumbnail-[0-9a-f]{16}-(small|large)\.webp$/.test(name);
