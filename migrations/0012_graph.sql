-- The document graph: what documents mention, and where they link to. All of it is derived from what was extracted.

-- The documents that are in it.
create table document_graph (
  media_id uuid primary key references media (id) on delete cascade,
  -- What read them; another release may find other entities.
  projector text not null,
  projected_at timestamptz not null default now()
);

create table document_entities (
  media_id uuid not null references document_graph (media_id) on delete cascade,
  kind text not null,
  -- The same for all spellings.
  entity text not null,
  -- As this document writes it most often.
  name text not null,
  mentions integer not null
    constraint document_entities_mentioned check (mentions >= 1),
  primary key (media_id, kind, entity)
);

-- From an entity to its documents, without looking at the table.
create index document_entities_entity_idx on document_entities (entity, kind) include (media_id, mentions);

-- Addresses, whether anybody has saved them or not: who saves one later finds the link.
create table document_links (
  media_id uuid not null references document_graph (media_id) on delete cascade,
  canonical_url text not null
    constraint document_links_canonical_url_length check (octet_length(canonical_url) <= 2048),
  primary key (media_id, canonical_url)
);

create index document_links_canonical_url_idx on document_links (canonical_url, media_id);
