import type { Principal } from '../contract/identity.ts';
import type { Actor } from '../platform/audit/audit.ts';

/** A repeat of a POST, which is answered without carrying the POST out again. */
export interface Repeated<Params = { id: string }, Body = unknown> {
  /** The caller, with the rights that they have now. */
  principal: Principal;
  actor: Actor;
  params: Params;
  body: Body;
  /** The ids and flags of the first answer. */
  made: Record<string, string | boolean>;
}

type Use<Result> = (repeated: Repeated<never, never>) => Result;

/** How a repeat of a POST with the same `Idempotency-Key` is answered. Every POST of a person declares one. */
export type Repeat =
  /** Reads the object again, with the caller's present rights. Only ids and flags of the first answer are stored. */
  | { kind: 'read'; read: Use<Promise<unknown>> }
  /** Repeats the stored answer, if `check` does not refuse. */
  | { kind: 'stored'; check?: Use<Promise<unknown>> }
  /** Repeats the stored answer to the credential that got it, because it has a secret that is shown once. */
  | { kind: 'secret' }
  /** Carries the request out again, because it changes nothing. */
  | { kind: 'fresh' };

/** For answers that contain anything of a document, a library or another person: they must follow rights and policies. */
export function readAgain<Params = { id: string }, Body = unknown>(
  read: (repeated: Repeated<Params, Body>) => Promise<unknown>,
): Repeat {
  return { kind: 'read', read };
}

/** For answers of ids, states and counts. `check` throws when the caller has lost access to what the request was about. */
export function repeatStored<Params = { id: string }, Body = unknown>(
  check?: (repeated: Repeated<Params, Body>) => Promise<unknown>,
): Repeat {
  return { kind: 'stored', ...(check && { check }) };
}

export const REPEAT_SECRET: Repeat = { kind: 'secret' };
export const CARRY_OUT_AGAIN: Repeat = { kind: 'fresh' };

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the ids and flags of an answer. They are all that is stored of an answer that is read again. */
export function idsAndFlags(body: string): Record<string, string | boolean> {
  const answer = body === '' ? {} : JSON.parse(body);
  const isKept = ([, value]: [string, unknown]) =>
    typeof value === 'boolean' || (typeof value === 'string' && ID.test(value));
  return Object.fromEntries(Object.entries(answer.data ?? answer).filter(isKept)) as Record<
    string,
    string | boolean
  >;
}
