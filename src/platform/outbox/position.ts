import { invalidField } from '../../contract/invalid-request.ts';

/** A place in the order in which events became visible: the transaction, and the id within it. */
export interface Position {
  transaction_id: string;
  id: string;
}

export const BEGINNING: Position = { transaction_id: '0', id: '00000000-0000-0000-0000-000000000000' };

export function writePosition({ transaction_id, id }: Position): string {
  return Buffer.from(`${transaction_id} ${id}`).toString('base64url');
}

/** 20 digits hold every transaction that PostgreSQL can count. */
const WRITTEN = /^(\d{1,20}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const LAST_TRANSACTION = 2n ** 64n - 1n;

/** `field` is the name under which the caller sent the cursor. */
export function readPosition(cursor: string, field: string): Position {
  const [, transaction_id = '', id = ''] =
    WRITTEN.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (id !== '' && BigInt(transaction_id) <= LAST_TRANSACTION) return { transaction_id, id };
  throw invalidField(field, 'is not a cursor of Nexus. Omit it to start without one');
}

export function isAfter(a: Position, b: Position): boolean {
  const [x, y] = [BigInt(a.transaction_id), BigInt(b.transaction_id)];
  return x === y ? a.id > b.id : x > y;
}
