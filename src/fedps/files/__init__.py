"""Pipelines, fitted estimators and reports in files."""
