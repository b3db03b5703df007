import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, LogOut, Pencil, Tags, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, errorMessage } from '../api/client.ts';
import type { Library } from '../api/types.ts';
import { useSession } from '../session/session.ts';
import { IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { showToast } from '../ui/toasts.tsx';
import { RenameDialog } from './name-dialogs.tsx';

/** Renames, leaves or deletes a library, and opens its tags. Leaving and deleting ask for confirmation. */
export function LibraryMenu({ library }: { library: Library }) {
  const { user } = useSession();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const [asked, setAsked] = useState<'rename' | 'leave' | 'delete'>();
  const isOwner = library.owner_user_id === user.id;

  const close = () => setAsked(undefined);

  async function leaveOrDelete(path: string, done: string) {
    try {
      await api.delete(path);
    } catch (error) {
      close();
      return showToast(errorMessage(error));
    }
    await navigate({ to: '/' });
    void queryClient.invalidateQueries();
    showToast(done);
  }

  return (
    <>
      <Menu trigger={<IconButton label="Library actions" icon={Ellipsis} withTooltip={false} />}>
        {library.role === 'admin' && (
          <>
            <MenuItem label="Rename" icon={Pencil} onSelect={() => setAsked('rename')} />
            <MenuItem
              label="Manage tags"
              icon={Tags}
              onSelect={() =>
                void navigate({ to: '/library/$libraryId/tags', params: { libraryId: library.id } })
              }
            />
          </>
        )}
        {!isOwner && <MenuItem label="Leave" icon={LogOut} danger onSelect={() => setAsked('leave')} />}
        {isOwner && (
          <>
            <MenuSeparator />
            <MenuItem label="Delete" icon={Trash2} danger onSelect={() => setAsked('delete')} />
          </>
        )}
      </Menu>
      {asked === 'rename' && <RenameDialog library={library} onClose={close} />}
      {asked === 'leave' && (
        <ConfirmDialog
          title={`Leave ${library.name}?`}
          action="Leave"
          danger
          onConfirm={() =>
            void leaveOrDelete(`/libraries/${library.id}/members/${user.id}`, `You left ${library.name}`)
          }
          onClose={close}
        >
          You immediately lose access to items that you have only through this library. Items that you saved
          yourself stay. To come back, you need a new invitation.
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title={`Delete ${library.name}?`}
          action="Delete"
          danger
          onConfirm={() => void leaveOrDelete(`/libraries/${library.id}`, `Deleted ${library.name}`)}
          onClose={close}
        >
          All members immediately lose access to items that they have only through this library. Items that
          they saved themselves stay. This cannot be undone.
        </ConfirmDialog>
      )}
    </>
  );
}
