"""A JSON service over HTTP that keeps its records in files."""
