"""What people see and hear: pure projections of the table into lights and pages."""
