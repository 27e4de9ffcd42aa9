-- Who gave whom access in the last day, also to a merchant: the two do not approve what the other asks for.
create index sign_in_links_made_by on sign_in_links (made_by_person, used_at) where used_at is not null;

-- How many were invited to a merchant in the last day.
create index sign_in_links_by_merchant on sign_in_links (merchant_id, made_at) where merchant_id is not null;
