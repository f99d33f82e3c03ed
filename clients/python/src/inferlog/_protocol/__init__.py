"""The protocol without input and output: programs that yield what is to be done, for a sync and an async runner."""
