/** Deliveries are to be sent. */
export const DELIVERIES_DUE = 'deliveries';
