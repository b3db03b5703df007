import type { FastifyReply } from 'fastify';
import type { Page } from '../contract/wire.ts';
import { API } from '../contract/wire.ts';
import { LAST_PAGE } from '../platform/cursor.ts';

/** The body of an answer with one object. */
export async function data<T>(value: T | Promise<T>): Promise<{ data: T }> {
  return { data: await value };
}

/** The body of an answer with a list that has only one page. */
export async function list<T>(rows: T[] | Promise<T[]>): Promise<{ data: T[]; page: Page }> {
  return { data: await rows, page: LAST_PAGE };
}

/** Answers 201 with a new object and its path in the API. */
export function sendCreated<T>(reply: FastifyReply, path: string, created: T) {
  return reply
    .status(201)
    .header('location', API + path)
    .send({ data: created });
}
