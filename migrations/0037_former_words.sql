-- The words that a highlight had first, if its text has others now. An import knows it again by them.
alter table highlights add column former_exact text;
