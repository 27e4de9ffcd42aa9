-- Which older builds can work on the schema that a migration leaves: those that know this one or a later one. Null: none.
-- Earlier builds do not read it and refuse every newer database.
-- Serves builds from: this one
alter table migrations add column serves_builds_from text;
