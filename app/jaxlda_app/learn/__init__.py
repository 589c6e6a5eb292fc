"""The guided tab: what a topic model does, one step at a time. What is shown is computed here, without a page."""
