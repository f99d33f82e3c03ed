"""The parts of `Inferlog` that are named after what they are about."""
