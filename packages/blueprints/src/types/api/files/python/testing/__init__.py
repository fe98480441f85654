"""What tests start and call the service with."""
