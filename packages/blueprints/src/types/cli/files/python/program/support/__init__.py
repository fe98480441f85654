"""What tests need."""
