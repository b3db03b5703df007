-- The span that caused a job, an event or a delivery, as W3C Trace Context writes it. Null while traces are off.
alter table jobs
  add column traceparent text,
  add constraint jobs_traceparent_length check (char_length(traceparent) = 55);

alter table outbox_event
  add column traceparent text,
  add constraint outbox_event_traceparent_length check (char_length(traceparent) = 55);

alter table webhook_deliveries
  add column traceparent text,
  add constraint webhook_deliveries_traceparent_length check (char_length(traceparent) = 55);
