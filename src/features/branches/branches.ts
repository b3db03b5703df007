import { z } from 'zod';
import {
  type Branch,
  type BranchEvent,
  type Comparison,
  type Edit,
  LONGEST_BRANCH_TEXT,
} from '../../contract/branches.ts';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import type { Mode } from '../../contract/roles.ts';
import type { Page } from '../../contract/wire.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutPage, cutPositioned, readCursor, readPosition } from '../../platform/cursor.ts';
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { Viewer } from '../libraries/can-read-media.ts';
import { compareTexts } from './compare.ts';
import { inContext } from './context.ts';
import { applyEdit, countCodePoints, EditOutOfRange, lengthAfter, textHash } from './edit.ts';
import * as store from './store.ts';
import { SNAPSHOT_EVERY, type TextAt, textAt } from './text.ts';

/** Hides what a policy does not let be seen in this mode, in every text of a value, which stays as long as it was. */
export type Redact = <T>(value: T, mode: Mode, actor: Actor, branchId: string) => Promise<T>;

export interface BranchesDependencies {
  sql: Database;
  requireMode(principal: Principal, mode: Mode, actor: Actor): Promise<void>;
  /** Governance builds on what is here, so it is handed in. Without it, every mode shows the text as it is. */
  redact?: Redact;
}

export interface Fork {
  document_id?: string | undefined;
  branch_id?: string | undefined;
  position?: number | undefined;
  name: string;
}

export type Branches = ReturnType<typeof createBranches>;

export function createBranches({ sql, requireMode, redact = async (value) => value }: BranchesDependencies) {
  async function requireBranch(on: Queryable, viewer: Viewer, branchId: string): Promise<store.BranchRow> {
    return (await store.findBranch(on, viewer, branchId)) ?? branchNotFound();
  }

  /** What is forked: its text, and what to remember of where it was. */
  async function originOf(tx: Transaction, viewer: Viewer, { document_id, branch_id, position }: Fork) {
    if (branch_id !== undefined) {
      const parent = await requireBranch(tx, viewer, branch_id);
      const at = await textAt(tx, parent, position ?? parent.event_count);
      return {
        text: at.text,
        media_id: parent.media_id,
        parent_branch_id: parent.id,
        parent_position: at.position,
      };
    }
    const document = await store.findDocument(tx, viewer, document_id ?? '');
    if (!document) {
      throw new NexusError('E_MEDIA_NOT_FOUND', 'There is no such document here, or you may not read it.');
    }
    if (document.text === null) {
      throw new NexusError('E_INVALID_STATE', 'The document has no text yet. Wait until it can be read.');
    }
    return {
      text: document.text,
      media_id: document_id ?? '',
      parent_branch_id: null,
      parent_position: null,
    };
  }

  /** Undefined where the stored text does not hold what was recorded, which takes no event away from who looks for it. */
  async function knownTextAt(branch: store.BranchRow, position: number): Promise<string | undefined> {
    try {
      return (await textAt(sql, branch, position)).text;
    } catch (error) {
      if (error instanceof NexusError && error.code === 'E_BRANCH_DAMAGED') return undefined;
      throw error;
    }
  }

  return {
    async fork(principal: Principal, fork: Fork): Promise<Branch> {
      return transaction(sql, async (tx) => {
        const origin = await originOf(tx, principal, fork);
        const text_length = refuseTooLong(countCodePoints(origin.text));
        const id = newId();
        await store.insertBranch(tx, {
          ...origin,
          id,
          name: fork.name,
          text_hash: textHash(origin.text),
          text_length,
          created_by_user_id: principal.user_id,
        });
        return onTheWire(await requireBranch(tx, principal, id));
      });
    },

    async list(
      viewer: Viewer,
      query: { document_id: string; cursor?: string | undefined; limit: number },
    ): Promise<{ branches: Branch[]; page: Page }> {
      const { document_id, limit } = query;
      const rows = await store.listBranches(sql, viewer, document_id, readCursor(query.cursor), limit + 1);
      const { rows: branches, page } = cutPage(rows, limit);
      return { branches: branches.map(onTheWire), page };
    },

    async get(viewer: Viewer, branchId: string): Promise<Branch> {
      return onTheWire(await requireBranch(sql, viewer, branchId));
    },

    /** One after the other: whoever has not seen the last event is told where the branch is now, and appends nothing. */
    async append(principal: Principal, branchId: string, after: number, edits: Edit[]): Promise<Branch> {
      return transaction(sql, async (tx) => {
        const branch = (await store.lockBranch(tx, principal, branchId)) ?? branchNotFound();
        if (branch.event_count !== after) throw moved(branch);
        let { text } = await textAt(tx, branch, after);
        let { text_length } = branch;
        const events: store.NewEvent[] = [];
        for (const [index, edit] of edits.entries()) {
          text = applied(text, edit, index);
          text_length = refuseTooLong(lengthAfter(text_length, edit, text));
          const position = after + index + 1;
          events.push({ position, edit, text_hash: textHash(text), text_length });
          if (position % SNAPSHOT_EVERY === 0) await store.writeSnapshot(tx, branchId, position, text);
        }
        await store.insertEvents(tx, branchId, principal.user_id, events);
        const { position, text_hash } = events.at(-1) as store.NewEvent;
        await store.moveHead(tx, branchId, { event_count: position, text_hash, text_length });
        return onTheWire(await requireBranch(tx, principal, branchId));
      });
    },

    /** In the order in which they were appended. */
    async events(
      principal: Principal,
      branchId: string,
      { cursor, limit, mode }: { cursor?: string | undefined; limit: number; mode: Mode },
      actor: Actor,
    ): Promise<{ events: BranchEvent[]; page: Page }> {
      await requireMode(principal, mode, actor);
      const branch = await requireBranch(sql, principal, branchId);
      const after = readPosition(cursor, z.int().min(0)) ?? 0;
      const listed = await store.listEvents(sql, branchId, after, branch.event_count, limit + 1);
      const { rows, page } = cutPositioned(
        listed.map((event) => ({ event, position: event.position })),
        limit,
      );
      if (rows.length === 0) return { events: [], page };
      const placed = inContext(
        await knownTextAt(branch, after),
        rows.map(({ event }) => event),
      );
      const contexts = placed.map(({ event, context }) => (event.text === null ? '' : context));
      const inPlace = await redact(contexts, mode, actor, branchId);
      const written = placed.map(({ start, end }, index) => inPlace[index]?.slice(start, end) ?? '');
      // What is a word by itself may have become part of another where it was put.
      const shown = await redact(written, mode, actor, branchId);
      const events = placed.map(({ event }, index) => ({
        ...event,
        text: event.text === null ? null : (shown[index] ?? null),
      }));
      return { events, page };
    },

    async text(
      principal: Principal,
      branchId: string,
      { position, mode }: { position?: number | undefined; mode: Mode },
      actor: Actor,
    ) {
      await requireMode(principal, mode, actor);
      const branch = await requireBranch(sql, principal, branchId);
      const at = await textAt(sql, branch, position ?? branch.event_count);
      const text_length = countCodePoints(at.text);
      return { branch_id: branchId, ...at, text: await redact(at.text, mode, actor, branchId), text_length };
    },

    /** Compares what the caller may see: what a policy hides shows in no difference either. */
    async compare(
      principal: Principal,
      branchId: string,
      query: { from: number; to?: number | undefined; with_branch_id?: string | undefined; mode: Mode },
      actor: Actor,
    ): Promise<Comparison> {
      const { mode } = query;
      await requireMode(principal, mode, actor);
      const branch = await requireBranch(sql, principal, branchId);
      const other = await requireBranch(sql, principal, query.with_branch_id ?? branchId);
      const from = await textAt(sql, branch, query.from);
      const to = await textAt(sql, other, query.to ?? other.event_count);
      const [before, after] = await redact([from.text, to.text], mode, actor, branchId);
      return {
        from: point(branch, from),
        to: point(other, to),
        ...compareTexts(before ?? '', after ?? ''),
      };
    },
  };
}

function point({ id }: store.BranchRow, { position, text_hash }: TextAt): Comparison['from'] {
  return { branch_id: id, position, text_hash };
}

function applied(text: string, edit: Edit, index: number): string {
  try {
    return applyEdit(text, edit);
  } catch (error) {
    if (!(error instanceof EditOutOfRange)) throw error;
    throw new NexusError('E_INVALID_REQUEST', `events.${index}: ${error.message}.`, { cause: error });
  }
}

function refuseTooLong(length: number): number {
  if (length <= LONGEST_BRANCH_TEXT) return length;
  throw new NexusError('E_INVALID_REQUEST', `A branch holds at most ${LONGEST_BRANCH_TEXT} code points.`);
}

function moved({ event_count, text_hash }: store.BranchRow): NexusError {
  return new NexusError(
    'E_BRANCH_MOVED',
    `Somebody else has appended: the branch is at event ${event_count} now. Look at what is new, then append after it.`,
    { details: { head: { position: event_count, text_hash } } },
  );
}

export function branchNotFound(): never {
  throw new NexusError('E_BRANCH_NOT_FOUND', 'There is no such branch, or you may not see it.');
}

function onTheWire({ id, media_id, base_hash: _, base_length: __, ...row }: store.BranchRow): Branch {
  return { branch_id: id, document_id: media_id, ...row };
}
