-- What was confirmed in a period: a report looks for the deposits among these that no transfer settled.
create index deposits_by_confirmation on deposits (final_at, id) where state = 'confirmed';
