"""The program behind the command line."""
