"""Laws: what every kernel of the registry must obey, on both Python stacks."""
