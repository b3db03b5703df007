import { api } from '../../api/client.ts';
import { dateTime } from '../format.ts';
import type { Secret } from '../secret-dialog.tsx';
import type { User } from '../types.ts';

/** Creates a link that signs a user in once. */
export async function createSignInLink({ id, username }: User): Promise<Secret> {
  const { path, expires_at } = await api.post<{ path: string; expires_at: string }>(
    `/api/v1/users/${id}/sign-in-link`,
  );
  return {
    title: `Sign-in link for ${username}`,
    noun: 'link',
    secret: new URL(path, window.location.origin).href,
    hint: `It works once, until ${dateTime(expires_at)}. Send it over a channel that you trust.`,
  };
}
