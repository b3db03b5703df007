import { errorMessage } from '../api/client.ts';
import { showToast } from './toasts.tsx';

/** Runs an action. If it fails, shows the error as a toast. */
export async function attempt(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    showToast(errorMessage(error));
  }
}
