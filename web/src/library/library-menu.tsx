import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, LogOut, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { sentenceOf } from '../api/error.ts';
import type { Library } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx';
import { showToast } from '../ui/toasts.ts';
import { RenameDialog } from './rename-dialog.tsx';

/** Rename, leave, delete. The last two cannot be undone, so they are asked about. */
export function LibraryMenu({ library }: { library: Library }) {
  const { user } = useSession();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'rename' | 'leave' | 'delete'>();
  const isOwner = library.owner_user_id === user.id;

  async function part(path: string, done: string) {
    try {
      await api.delete(path);
    } catch (error) {
      setAsked(undefined);
      return void showToast(sentenceOf(error));
    }
    await navigate({ to: '/' });
    void queryClient.invalidateQueries();
    showToast(done);
  }

  return (
    <>
      <Menu trigger={<IconButton label="More about this library" icon={Ellipsis} withTooltip={false} />}>
        {library.role === 'admin' && (
          <MenuItem icon={Pencil} onSelect={() => setAsked('rename')}>
            Rename
          </MenuItem>
        )}
        {!isOwner && (
          <MenuItem icon={LogOut} danger onSelect={() => setAsked('leave')}>
            Leave
          </MenuItem>
        )}
        {isOwner && (
          <>
            <MenuLine />
            <MenuItem icon={Trash2} danger onSelect={() => setAsked('delete')}>
              Delete
            </MenuItem>
          </>
        )}
      </Menu>
      {asked === 'rename' && <RenameDialog library={library} onClose={() => setAsked(undefined)} />}
      <Dialog
        open={asked === 'leave'}
        onClose={() => setAsked(undefined)}
        title={`Leave ${library.name}?`}
        actions={
          <>
            <Button onClick={() => setAsked(undefined)}>Stay</Button>
            <Button
              look="danger"
              onClick={() =>
                void part(`/libraries/${library.id}/members/${user.id}`, `You have left ${library.name}`)
              }
            >
              Leave
            </Button>
          </>
        }
      >
        You lose at once what you have only through this library. What you saved yourself stays yours. To come
        back, you need a new invitation.
      </Dialog>
      <Dialog
        open={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        title={`Delete ${library.name}?`}
        actions={
          <>
            <Button onClick={() => setAsked(undefined)}>Keep it</Button>
            <Button
              look="danger"
              onClick={() => void part(`/libraries/${library.id}`, `${library.name} is deleted`)}
            >
              Delete for everybody
            </Button>
          </>
        }
      >
        All members lose at once what they have only through this library. This cannot be undone. What people
        saved themselves stays theirs.
      </Dialog>
    </>
  );
}
