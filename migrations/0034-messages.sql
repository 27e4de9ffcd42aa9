-- What Inlet says is kept as a code with values beside the English sentence, so that it can be read in another language
-- whatever becomes of the sentence. What a person wrote has none; rows of before have their sentence only.
alter table deposit_history add column message jsonb;
alter table transfer_decisions add column message jsonb;
alter table proposals add column message jsonb;
alter table statements add column report_messages jsonb;
grant update (report_messages) on statements to inlet_runtime;
