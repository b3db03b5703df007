import { api } from '../../api/client.ts';
import { dateTime } from '../format.ts';
import type { Secret } from '../secret-once.tsx';
import type { User } from '../types.ts';

/** A link that signs the person in once. */
export async function makeSignInLink({ id, username }: User): Promise<Secret> {
  const { path, expires_at } = await api.post<{ path: string; expires_at: string }>(
    `/api/v1/users/${id}/sign-in-link`,
  );
  return {
    title: `A sign-in link for ${username}`,
    what: 'link',
    secret: new URL(path, window.location.origin).href,
    hint: `It works once, until ${dateTime(expires_at)}. Send it to them over a channel that you trust; they choose a password with it.`,
  };
}
