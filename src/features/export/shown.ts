import { NexusError } from '../../contract/errors.ts';
import type { ExportedDocument } from '../../contract/export.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import type { Governance } from '../governance/governance.ts';

/** So many characters are judged without a pause, so that a book does not hold up other requests. */
const JUDGED_AT_ONCE = 50_000;

export interface Judge {
  governance: Pick<Governance, 'shown'>;
  mode: Mode;
  actor: Actor;
}

/** What is said of a document, and in it. */
export interface Said {
  head: Pick<ExportedDocument, 'title' | 'author' | 'description' | 'site'>;
  texts: ExportedDocument['texts'];
}

/** Parts of a document as policies let them be shown. Throws when one of them keeps it back. */
export async function shownParts<Part>(
  parts: readonly Part[],
  subject: Record<string, string>,
  { governance, mode, actor }: Judge,
): Promise<Part[]> {
  const shown: Part[] = [];
  for (const group of grouped(parts)) {
    shown.push(...(await governance.shown(group, mode, actor, { kind: 'export', ...subject })));
  }
  return shown;
}

/** Several documents at once; undefined in place of those that are kept back. */
export async function shownDocuments(
  documents: readonly (Said & { id: string })[],
  judge: Judge,
): Promise<(Said | undefined)[]> {
  const together = await unlessBlocked(documents, judge);
  if (together || documents.length === 1) return together ?? [undefined];
  // One of them is kept back, and so all were: each is asked about on its own.
  const alone: (Said | undefined)[] = [];
  for (const document of documents) alone.push(...(await shownDocuments([document], judge)));
  return alone;
}

async function unlessBlocked(
  documents: readonly (Said & { id: string })[],
  judge: Judge,
): Promise<Said[] | undefined> {
  const parts = documents.flatMap(({ head, texts }): object[] => [head, ...texts]);
  const ids = documents.map(({ id }) => id).join(' ');
  try {
    const shown = (await shownParts(parts, { media_ids: ids }, judge)).values();
    const next = <T>() => shown.next().value as T;
    return documents.map(({ texts }) => ({
      head: next<Said['head']>(),
      texts: texts.map(() => next<Said['texts'][number]>()),
    }));
  } catch (error) {
    if (error instanceof NexusError && error.code === 'E_GOVERNANCE_BLOCKED') return undefined;
    throw error;
  }
}

function* grouped<Part>(parts: readonly Part[]): Generator<Part[]> {
  let group: Part[] = [];
  let size = 0;
  for (const part of parts) {
    const length = JSON.stringify(part).length;
    if (group.length > 0 && size + length > JUDGED_AT_ONCE) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(part);
    size += length;
  }
  if (group.length > 0) yield group;
}
