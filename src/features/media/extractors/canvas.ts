type CanvasLibrary = typeof import('@napi-rs/canvas');

/**
 * Loads the library that decodes and draws images. Undefined on platforms for which it has no binary: Nexus then works
 * without thumbnails.
 */
export async function loadCanvas(): Promise<CanvasLibrary | undefined> {
  try {
    return await import('@napi-rs/canvas');
  } catch {
    return undefined;
  }
}
