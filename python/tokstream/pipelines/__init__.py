"""Pipelines: texts from iterables and files in, ids out, in constant memory."""
