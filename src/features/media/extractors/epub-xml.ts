import type { Archive } from './archive.ts';
import { parseXml, type XmlElement } from './xml.ts';

/** Reads an XML file of the archive; undefined when it does not exist. */
export async function readXml(archive: Archive, path: string): Promise<XmlElement | undefined> {
  const bytes = await archive.read(path);
  return bytes && parseXml(bytes);
}
