-- How a bank writes its CSV is corrected and removed at the desk.
grant delete on csv_mappings to inlet_runtime;
