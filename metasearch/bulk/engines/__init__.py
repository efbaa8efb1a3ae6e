"""What finds, in a job that memory does not hold, which records may be one work: the joins of a
job, done by an engine that spills to disk.

An engine knows neither records nor rules. It reads numbers from Parquet files and writes numbers.
"""
