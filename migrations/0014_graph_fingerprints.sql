-- What a document's place in the graph was derived from, and what was derived, as one hash of both. While it still holds,
-- neither has changed, and the integrity audit need not read the document again.
alter table document_graph add column fingerprint bytea;
