"""The report of a novelty search (科技查新报告), after GB/T 32003-2015."""
