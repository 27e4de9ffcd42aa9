-- Who gave whom access in the last day, also to a merchant: the two do not approve what the other asks for.
create index sign_in_links_made_by on sign_in_links (made_by_person, used_at) where used_at is not null;
