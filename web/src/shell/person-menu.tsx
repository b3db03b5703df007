import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { CircleUserRound, Keyboard, LogOut, Settings } from 'lucide-react';
import { errorMessage } from '../api/client.ts';
import { signOut, useSession } from '../session/session.ts';
import { setTheme, THEMES, useTheme } from '../session/theme.ts';
import { Menu, MenuChoice, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { showToast } from '../ui/toasts.tsx';
import { showDialog } from './dialogs.ts';

export function PersonMenu() {
  const { user } = useSession();
  const theme = useTheme();
  const navigate = useNavigate();
  const queryClient = useQueryClient();

  async function endSession() {
    try {
      await signOut();
    } catch (error) {
      showToast(errorMessage(error));
      return;
    }
    await navigate({ to: '/sign-in', search: {} });
    queryClient.clear();
  }

  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className="nav-link">
          <CircleUserRound size={18} aria-hidden />
          <span className="truncate">{user.display_name}</span>
        </button>
      }
    >
      <MenuItem label="Settings" icon={Settings} onSelect={() => void navigate({ to: '/settings' })} />
      <MenuItem
        label="Keyboard shortcuts"
        icon={Keyboard}
        shortcut="?"
        onSelect={() => showDialog('shortcuts')}
      />
      <MenuSeparator />
      <MenuChoice label="Theme" value={theme} options={THEMES} onChange={setTheme} />
      <MenuSeparator />
      <MenuItem label="Sign out" icon={LogOut} onSelect={() => void endSession()} />
    </Menu>
  );
}
