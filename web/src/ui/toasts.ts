export interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

interface ToastOptions {
  action?: Toast['action'];
  /** Called when it leaves without its action having been taken. */
  onExpire?: () => void;
  seconds?: number;
}

const DEFAULT_SECONDS = 6;

let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();
const expiries = new Map<
  number,
  { timer: ReturnType<typeof setTimeout>; onExpire: (() => void) | undefined }
>();

function publish(next: readonly Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}

/** Says something in passing, with at most one thing to do about it, such as Undo. */
export function showToast(
  text: string,
  { action, onExpire, seconds = DEFAULT_SECONDS }: ToastOptions = {},
): number {
  lastId += 1;
  const id = lastId;
  publish([...toasts, { id, text, ...(action && { action }) }]);
  expiries.set(id, { timer: setTimeout(() => dismissToast(id), seconds * 1000), onExpire });
  return id;
}

export function dismissToast(id: number): void {
  const expiry = expiries.get(id);
  clearTimeout(expiry?.timer);
  expiries.delete(id);
  publish(toasts.filter((toast) => toast.id !== id));
  expiry?.onExpire?.();
}

export function takeToastAction(id: number): void {
  const toast = toasts.find((candidate) => candidate.id === id);
  const expiry = expiries.get(id);
  clearTimeout(expiry?.timer);
  expiries.delete(id);
  publish(toasts.filter((candidate) => candidate.id !== id));
  toast?.action?.run();
}

/** Takes the newest action on offer: what `u` does. */
export function takeNewestAction(): boolean {
  const toast = toasts.findLast(({ action }) => action !== undefined);
  if (toast) takeToastAction(toast.id);
  return toast !== undefined;
}

export const toastStore = {
  subscribe(watcher: () => void): () => void {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  },
  get: () => toasts,
};
