import { EXPORT_FORMAT, EXPORT_VERSION } from '../../contract/export.ts';
import type { Library } from '../../contract/libraries.ts';
import type { Mode } from '../../contract/roles.ts';

/** Writes one document per line. The count comes last: an export that has it is complete. */
export async function* jsonFile(
  { id, name }: Pick<Library, 'id' | 'name'>,
  mode: Mode,
  lines: AsyncIterable<Uint8Array>,
): AsyncGenerator<string | Uint8Array> {
  const head = {
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    exported_at: new Date(),
    mode,
    library: { id, name },
  };
  yield `${JSON.stringify(head).slice(0, -1)},"documents":[`;
  let count = 0;
  for await (const line of lines) {
    yield count === 0 ? '\n' : ',\n';
    yield line;
    count += 1;
  }
  yield `\n],"document_count":${count}}\n`;
}
