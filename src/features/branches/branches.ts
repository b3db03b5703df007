import { z } from 'zod';
import type * as contract from '../../contract/branches.ts';
import { type Branch, type Edit, MAX_BRANCH_TEXT_LENGTH } from '../../contract/branches.ts';
import { NexusError } from '../../contract/errors.ts';
import type { Principal } from '../../contract/identity.ts';
import { invalidField } from '../../contract/invalid-request.ts';
import type { Mode } from '../../contract/roles.ts';
import { roleAllows } from '../../contract/roles.ts';
import type { Actor } from '../../platform/audit/audit.ts';
import { cutByCursor, cutPage, decodeCursor, readCursor } from '../../platform/cursor.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { transaction } from '../../platform/database/transaction.ts';
import { newId } from '../../platform/ids.ts';
import type { RunByCost } from '../../platform/processes/by-cost.ts';
import type { Governance } from '../governance/governance.ts';
import { charactersIn, costOfJudging } from '../governance/work.ts';
import type { Authentication } from '../identity/authentication.ts';
import type { Viewer } from '../libraries/access/can-read-media.ts';
import { documentHasNoText } from '../media/text/document.ts';
import * as store from './store.ts';
import { costOfText, damaged, readStoredText, type StoredText } from './text.ts';
import { type branchWork, NEAR, type Shown, TOO_LONG } from './work.ts';

interface BranchesDependencies extends Pick<Authentication, 'requireMode'> {
  sql: Database;
  governance: Pick<Governance, 'rules' | 'settle'>;
  run: RunByCost<typeof branchWork>;
}

/** An answer as JSON. It may contain a whole book, so it is serialised in a process. */
type Json = Uint8Array;

/**
 * An answer that is not written yet. Its state names everything that it is made of: texts of a branch at a position never
 * change, so their positions and the rules are enough.
 */
export interface Prepared {
  state: string;
  write(): Promise<Json>;
}

type Fork = z.output<typeof contract.forkBranch>;

export type Branches = ReturnType<typeof createBranches>;

export function createBranches({ sql, requireMode, governance, run }: BranchesDependencies) {
  async function requireBranch(on: Queryable, viewer: Viewer, branchId: string): Promise<store.BranchRow> {
    return (await store.findBranch(on, viewer, branchId)) ?? branchNotFound();
  }

  /** Records the policy hits in an answer. Throws when a policy blocks it, or when the branch is damaged. */
  async function settle(answer: Shown, branchId: string, mode: Mode, actor: Actor): Promise<Json> {
    if ('damagedAt' in answer) throw damaged(branchId, answer.damagedAt);
    await governance.settle({ hits: answer.hits, mode, actor, subject: { branch_id: branchId } });
    return answer.json ?? new Uint8Array();
  }

  async function forkDocument(principal: Principal, documentId: string, { name }: Fork, actor: Actor) {
    return transaction(
      sql,
      async (tx) => {
        const document = await store.measureDocument(tx, principal, documentId);
        if (!document) {
          throw new NexusError(
            'E_MEDIA_NOT_FOUND',
            'This document does not exist, or you do not have access to it.',
          );
        }
        const { text_hash, text_length } = document;
        if (text_hash === null || text_length === null) return documentHasNoText();
        if (text_length > MAX_BRANCH_TEXT_LENGTH)
          throw invalidField('media_id', `has a text that is too long. ${TOO_LONG}`, 'too_large');
        const origin = { media_id: documentId, parent_branch_id: null, parent_position: null };
        const id = newId();
        const created_by_user_id = principal.user_id;
        await store.insertBranch(tx, { id, name, ...origin, text_hash, text_length, created_by_user_id });
        await store.copyDocumentText(tx, id, documentId);
        return onTheWire(await requireBranch(tx, principal, id));
      },
      actor,
    );
  }

  /** The text of a branch after an event never changes, so it is computed before the transaction. */
  async function forkBranch(principal: Principal, parentId: string, fork: Fork, actor: Actor) {
    const parent = await requireBranch(sql, principal, parentId);
    const at = await readStoredText(sql, parent, positionIn(parent, fork.position, 'position'));
    const copy = await run('branches.copy', at, { cost: costOfText(at) });
    if ('damagedAt' in copy) throw damaged(parentId, copy.damagedAt);
    const { text, ...measure } = copy;
    return transaction(
      sql,
      async (tx) => {
        const { media_id } = await requireBranch(tx, principal, parentId);
        const origin = { media_id, parent_branch_id: parentId, parent_position: at.position };
        const id = newId();
        const created_by_user_id = principal.user_id;
        await store.insertBranch(tx, { id, name: fork.name, ...origin, ...measure, created_by_user_id });
        await store.writeSnapshot(tx, id, 0, text);
        return onTheWire(await requireBranch(tx, principal, id));
      },
      actor,
    );
  }

  return {
    fork: (principal: Principal, fork: Fork, actor: Actor): Promise<Branch> =>
      fork.branch_id === undefined
        ? forkDocument(principal, fork.media_id ?? '', fork, actor)
        : forkBranch(principal, fork.branch_id, fork, actor),

    async list(viewer: Viewer, { media_id, cursor, limit }: z.output<typeof contract.branchQuery>) {
      const query = { mediaId: media_id, before: readCursor(cursor), limit: limit + 1 };
      const { data: branches, page } = cutPage(await store.listBranches(sql, viewer, query), limit);
      return { data: branches.map(onTheWire), page };
    },

    async get(viewer: Viewer, branchId: string): Promise<Branch> {
      return onTheWire(await requireBranch(sql, viewer, branchId));
    },

    /**
     * Appends events. A caller that has not seen the last event gets the current head, and nothing is appended. The
     * texts are computed before the transaction; under its lock, the branch must still be at the same event.
     */
    async append(
      principal: Principal,
      branchId: string,
      { after, events: edits }: { after: number; events: Edit[] },
      actor: Actor,
    ): Promise<Branch> {
      const seen = await requireBranch(sql, principal, branchId);
      if (seen.event_count !== after) throw moved(seen);
      const at = await readStoredText(sql, seen, after);
      const cost = costOfText(at) + costOfEdits(seen.text_length, edits);
      const appended = await run('branches.append', { at, edits }, { cost });
      if ('damagedAt' in appended) throw damaged(branchId, appended.damagedAt);
      if ('refused' in appended)
        throw invalidField(appended.refused.path, appended.refused.message, 'too_large');
      const events = appended.events.map((event, index) => ({
        ...event,
        position: after + index + 1,
        edit: edits[index] as Edit,
      }));
      return transaction(
        sql,
        async (tx) => {
          const branch = (await store.lockBranch(tx, principal, branchId)) ?? branchNotFound();
          if (branch.event_count !== after) throw moved(branch);
          for (const { position, text } of appended.snapshots)
            await store.writeSnapshot(tx, branchId, position, text);
          await store.insertEvents(tx, branchId, principal.user_id, events);
          const { position, text_hash, text_length } = events.at(-1) as store.NewEvent;
          await store.moveHead(tx, branchId, { event_count: position, text_hash, text_length });
          return onTheWire(await requireBranch(tx, principal, branchId));
        },
        actor,
      );
    },

    /** Deletes a branch with its events. Its author and admins may, unless other branches were forked from it. */
    async delete(principal: Principal, branchId: string): Promise<void> {
      await transaction(sql, async (tx) => {
        const branch = (await store.lockBranch(tx, principal, branchId)) ?? branchNotFound();
        if (branch.created_by_user_id !== principal.user_id && !roleAllows(principal.role, 'admin')) {
          throw new NexusError('E_FORBIDDEN', 'Only the author of this branch and admins may delete it.');
        }
        if (!(await store.deleteBranch(tx, branchId))) {
          throw new NexusError(
            'E_INVALID_STATE',
            'Other branches were forked from this one. Delete them first.',
          );
        }
      });
    },

    /** Lists events in the order in which they were appended. */
    async events(
      principal: Principal,
      branchId: string,
      { cursor, limit, mode }: z.output<typeof contract.branchEventQuery>,
      actor: Actor,
    ): Promise<Prepared> {
      await requireMode(principal, mode, actor);
      const branch = await requireBranch(sql, principal, branchId);
      const after = decodeCursor(cursor, z.int32().min(0)) ?? 0;
      const range = { after, upTo: branch.event_count, limit: limit + 1, viewer: principal };
      const listed = await store.listEvents(sql, branchId, range);
      const placed = listed.map((event) => ({ event, cursor: event.position }));
      const { data, page } = cutByCursor(placed, limit);
      const events = data.map(({ event }) => event);
      const rules = await governance.rules(mode);
      const names = events.map(({ created_by }) => created_by);
      return {
        state: stateOf(branchId, after, events.length, page, names, rules),
        write: async () => {
          const before = events.length === 0 ? undefined : await readKnownText(branch, after);
          const size = charactersIn(events.map(({ text }) => text));
          const whole = before ? costOfText(before) + costOfEdits(before.snapshot.length + size, events) : 0;
          const cost = whole + 4 * size + 2 * costOfJudging(rules, size + 2 * NEAR * events.length);
          const answer = await run('branches.events', { before, events, page, rules }, { cost });
          return settle(answer, branchId, mode, actor);
        },
      };
    },

    async text(
      principal: Principal,
      branchId: string,
      query: z.output<typeof contract.branchTextQuery>,
      actor: Actor,
    ): Promise<Prepared> {
      const { mode } = query;
      await requireMode(principal, mode, actor);
      const branch = await requireBranch(sql, principal, branchId);
      const position = positionIn(branch, query.position, 'position');
      const rules = await governance.rules(mode);
      return {
        state: stateOf(branchId, position, rules),
        write: async () => {
          const at = await readStoredText(sql, branch, position);
          const cost = 4 * costOfText(at) + costOfJudging(rules, costOfText(at));
          const answer = await run('branches.text', { branch_id: branchId, at, rules }, { cost });
          return settle(answer, branchId, mode, actor);
        },
      };
    },

    async compare(
      principal: Principal,
      branchId: string,
      query: z.output<typeof contract.compareQuery>,
      actor: Actor,
    ): Promise<Prepared> {
      const { mode } = query;
      await requireMode(principal, mode, actor);
      const branch = await requireBranch(sql, principal, branchId);
      const other = await requireBranch(sql, principal, query.with_branch_id ?? branchId);
      const left = positionIn(branch, query.from, 'from');
      const right = positionIn(other, query.to, 'to');
      const rules = await governance.rules(mode);
      return {
        state: stateOf(branch.id, left, other.id, right, rules),
        write: async () => {
          const from = { branch_id: branch.id, at: await readStoredText(sql, branch, left) };
          const to = { branch_id: other.id, at: await readStoredText(sql, other, right) };
          const length = costOfText(from.at) + costOfText(to.at);
          // Comparing takes quadratic time in the number of differences, up to a bound.
          const cost = 4 * length + Math.min(length * length, MOST_COMPARING) + costOfJudging(rules, length);
          const answer = await run('branches.compare', { from, to, rules }, { cost });
          return settle(answer, branchId, mode, actor);
        },
      };
    },
  };

  /** Returns undefined when the stored text is damaged. Events can still be listed then. */
  async function readKnownText(branch: store.BranchRow, position: number): Promise<StoredText | undefined> {
    try {
      return await readStoredText(sql, branch, position);
    } catch (error) {
      if (error instanceof NexusError && error.code === 'E_BRANCH_DAMAGED') return undefined;
      throw error;
    }
  }
}

const MOST_COMPARING = 1_000_000_000;

const stateOf = (...parts: unknown[]) => JSON.stringify(parts);

/** Returns the position that the caller asks for, or the last one. Refuses one that the branch has not reached. */
function positionIn({ event_count }: store.BranchRow, asked: number | undefined, field: string): number {
  const position = asked ?? event_count;
  if (position <= event_count) return position;
  const most = `must be at most ${event_count}, the number of events of the branch`;
  throw invalidField(field, most, 'too_large');
}

/** Each edit reads the text up to its offset, copies it and hashes it. */
function costOfEdits(textLength: number, edits: readonly object[]): number {
  return edits.length * 4 * (textLength + charactersIn(edits));
}

function moved({ event_count, text_hash }: store.BranchRow): NexusError {
  return new NexusError(
    'E_BRANCH_MOVED',
    `Somebody else has changed this branch: it is at event ${event_count} now. Read the new events, then append after them.`,
    { details: { head: { position: event_count, text_hash } } },
  );
}

export const BRANCH_NOT_FOUND = 'This branch does not exist, or you do not have access to it.';

function branchNotFound(): never {
  throw new NexusError('E_BRANCH_NOT_FOUND', BRANCH_NOT_FOUND);
}

function onTheWire(row: store.BranchRow): Branch {
  const { base_hash: _, base_length: __, created_by_user_id: ___, ...branch } = row;
  return branch;
}
