/** Events were emitted. */
export const EVENTS_EMITTED = 'events';
