-- Who gave whom access in the last day, also to a merchant: the two do not approve what the other asks for.
create index sign_in_links_made_by on sign_in_links (made_by_person, used_at) where used_at is not null;

-- How many were invited to a merchant in the last day.
create index sign_in_links_by_merchant on sign_in_links (merchant_id, made_at) where merchant_id is not null;

-- When somebody was last seen: sessions stay, and there was an index of those only that have not ended.
create index sessions_by_seen on sessions (person_id, seen_at);
