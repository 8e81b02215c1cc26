"""Where sections come from: held in memory for a small index, asked of the table for a large one."""
