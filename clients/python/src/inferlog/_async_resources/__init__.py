"""The parts of `AsyncInferlog` that are named after what they are about."""
