/**
 * How often the console refetches figures that have no events, such as queue depths. TanStack Query pauses it while the
 * browser tab is hidden.
 */
export const REFRESH_MS = 5000;
