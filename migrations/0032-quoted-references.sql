-- A customer quotes a reference long after it is free to name another deposit: both are found by it. Only freed ones stand
-- here, so that a new deposit costs no more than before.
create index deposits_by_freed_reference on deposits (reference) where not holds_reference and reference is not null;
