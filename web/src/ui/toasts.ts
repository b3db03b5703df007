import { createStore } from '../api/store.ts';

export interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

interface ToastOptions {
  action?: Toast['action'];
  /** Called when the toast disappears without its action having been used. */
  onExpire?: () => void;
  seconds?: number;
}

const DEFAULT_SECONDS = 6;

export const toastStore = createStore<readonly Toast[]>([]);

let lastId = 0;
const expiries = new Map<
  number,
  { timer: ReturnType<typeof setTimeout>; onExpire: (() => void) | undefined }
>();

/** Shows a short message with at most one action, such as Undo. */
export function showToast(
  text: string,
  { action, onExpire, seconds = DEFAULT_SECONDS }: ToastOptions = {},
): void {
  lastId += 1;
  const id = lastId;
  toastStore.set((toasts) => [...toasts, { id, text, ...(action && { action }) }]);
  expiries.set(id, { timer: setTimeout(() => dismissToast(id), seconds * 1000), onExpire });
}

export function dismissToast(id: number): void {
  const onExpire = removeToast(id);
  onExpire?.();
}

export function takeToastAction(id: number): void {
  const toast = toastStore.get().find((candidate) => candidate.id === id);
  removeToast(id);
  toast?.action?.run();
}

function removeToast(id: number): (() => void) | undefined {
  const expiry = expiries.get(id);
  clearTimeout(expiry?.timer);
  expiries.delete(id);
  toastStore.set((toasts) => toasts.filter((toast) => toast.id !== id));
  return expiry?.onExpire;
}

/** Runs the newest action that is offered. */
export function takeNewestAction(): void {
  const toast = toastStore.get().findLast(({ action }) => action !== undefined);
  if (toast) takeToastAction(toast.id);
}
