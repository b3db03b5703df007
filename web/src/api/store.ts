import { useSyncExternalStore } from 'react';

/** A value outside of React that components can subscribe to. */
interface Store<T> {
  get(): T;
  set(next: T | ((current: T) => T)): void;
  subscribe(listener: () => void): () => void;
  /** Whether anything is subscribed. */
  isWatched(): boolean;
}

/** `onWatched` runs when the first subscriber arrives; the function it returns runs when the last one leaves. */
export function createStore<T>(initial: T, onWatched?: () => () => void): Store<T> {
  let value = initial;
  let onUnwatched: (() => void) | undefined;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = typeof next === 'function' ? (next as (current: T) => T)(value) : next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      if (listeners.size === 0) onUnwatched = onWatched?.();
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) onUnwatched?.();
      };
    },
    isWatched: () => listeners.size > 0,
  };
}

/** The current value of a store. The component is drawn again when it changes. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
