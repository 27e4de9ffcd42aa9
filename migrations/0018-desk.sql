-- What the operator's desk looks for, each by an index, however many deposits and transfers there are.

-- Transfers by what became of them, newest or oldest first: the queue, its counts, and the list by state.
create index transfers_by_state on transfers (state, taken_at, id);
create index transfers_by_account on transfers (account_id, state, taken_at, id);

-- Customers who said that they have paid, and nothing has come. Most are paid, and leave it; the rest leave the queue
-- when nobody waits for late money any more.
create index deposits_claimed on deposits (late_until, claimed_at, id)
  where claimed_at is not null and received_cents = 0 and state in ('created', 'expired');
-- Money is there, and a person decides.
create index deposits_for_review on deposits (created_at, id) where labels @> '{review}';

-- One thing is asked for once at a time.
create unique index proposal_open_once on proposals (kind, subject)
  where state = 'open' and kind in ('confirm', 'requisite_on');
create index proposals_decided on proposals (decided_at, id) where state <> 'open';

-- The past statements, newest first.
create index statements_by_time on statements (taken_at, id);
