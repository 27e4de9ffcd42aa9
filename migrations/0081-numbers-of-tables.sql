-- Which columns the numbers of a table's payments were read from. Two tables of one bank may number one payment in two columns. Empty
-- for other formats, and for files of before.
-- Serves builds from: 0069
alter table statements add column numbered_by text;
